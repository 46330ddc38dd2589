from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def drawn_from(rows, limit, seed):
    """At most so many rows by lot, and ten of each class, however rare it is."""
    shuffled = rows.sample(len(rows), random_state=seed)
    taken = np.arange(len(rows)) < limit
    if task == "classification":
        taken |= (shuffled.groupby(target_column, observed=True).cumcount() < 10).to_numpy()
    return shuffled[taken]


data = distinct[distinct[target_column].notna()]
if task == "classification":
    sizes = data[target_column].map(data[target_column].value_counts())
    data = data[sizes >= 10]
rows_available = len(data)
data = drawn_from(data, int(np.clip(200_000 / len(features), 2_000, 10_000)), seed=0)

inputs = {}
for name in features:
    if kinds[name] == "number":
        inputs[name] = data[name].astype(float).clip(-1e30, 1e30)
    elif kinds[name] == "date":
        for part in ("year", "month", "day_of_week"):
            inputs[f"{name}: {part}"] = getattr(data[name].dt, part).astype(float)
    else:
        inputs[name] = data[name].astype(object).where(data[name].notna(), "(missing)").astype(str)
X = pd.DataFrame(inputs)
y = (data[target_column].astype(str) if task == "classification"
     else data[target_column].astype(float).clip(-1e30, 1e30))
numeric = [name for name in X if X[name].dtype == float]
textual = [name for name in X if X[name].dtype != float]
