@{{ name.report }}.run
def {{ name.report }}(report):
    import numpy as np
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    target, task, features, kinds = report.target, report.task, report.features, report.kinds

    def drawn_from(rows, limit, seed):
        """At most so many rows by lot, and ten of each class, however rare it is."""
        shuffled = rows.sample(len(rows), random_state=seed)
        taken = np.arange(len(rows)) < limit
        if task == "classification":
            taken |= (shuffled.groupby(target, observed=True).cumcount() < 10).to_numpy()
        return shuffled[taken]

    data = report.distinct[report.distinct[target].notna()]
    if task == "classification":
        data = data[data[target].map(data[target].value_counts()) >= 10]
    available = len(data)
    data = drawn_from(data, int(np.clip(200_000 / len(features), 2_000, 10_000)), seed=0)

    inputs = {}
    for name in features:
        if kinds[name] == "number":
            inputs[name] = data[name].astype(float).clip(-1e30, 1e30)
        elif kinds[name] == "date":
            for part in ("year", "month", "day_of_week"):
                inputs[f"{name}: {part}"] = getattr(data[name].dt, part).astype(float)
        else:
            filled = data[name].astype(object).where(data[name].notna(), "(missing)")
            inputs[name] = filled.astype(str)
    X = pd.DataFrame(inputs)
    y = (data[target].astype(str) if task == "classification"
         else data[target].astype(float).clip(-1e30, 1e30))
    numeric = [name for name in X if X[name].dtype == float]
    textual = [name for name in X if X[name].dtype != float]

    def pipeline(model):
        """Gaps are filled, numbers scaled and categories encoded inside each training fold."""
        fill = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        encode = OneHotEncoder(handle_unknown="ignore", max_categories=20, sparse_output=False)
        columns = ColumnTransformer([("numbers", make_pipeline(fill, StandardScaler()), numeric),
                                     ("categories", encode, textual)])
        return make_pipeline(columns, model)

    if task == "classification":
        models = {
            "dummy": DummyClassifier(strategy="prior"),
            "linear": LogisticRegression(max_iter=3000),
            "forest": RandomForestClassifier(60, min_samples_leaf=3, random_state=0),
        }
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        metric, report.metric_name = "balanced_accuracy", {{ text.balanced }}
    else:
        models = {
            "dummy": DummyRegressor(strategy="mean"),
            "linear": Ridge(),
            "forest": RandomForestRegressor(60, min_samples_leaf=3, max_features=0.5,
                                            random_state=0),
        }
        folds = KFold(5, shuffle=True, random_state=0)
        metric, report.metric_name = "r2", "R²"
    scores = {name: cross_val_score(pipeline(model), X, y, cv=folds, scoring=metric)
              for name, model in models.items()}

    report.model_names = {"dummy": {{ text.dummy }}, "linear": {{ text.linear }},
                          "forest": {{ text.forest }}}
    best_model = max(("linear", "forest"), key=lambda name: scores[name].mean())
    best, dummy = scores[best_model].mean(), scores["dummy"].mean()
    uncertainty = scores[best_model].std() / np.sqrt(5)
    beats_dummy = bool(best - dummy > max(2 * uncertainty, 0.02))
    report.facts.update(best_score=round(float(best), 4), dummy_score=round(float(dummy), 4),
                        beats_dummy=beats_dummy)
    report.X, report.y, report.data, report.folds, report.metric = X, y, data, folds, metric
    report.models, report.best_model, report.relied_on = models, best_model, []
    report.pipeline, report.drawn_from = pipeline, drawn_from

    best_name = report.model_names[best_model]
    with report.plots(size=(6, 2.1)) as [ax]:
        for position, values in enumerate(scores.values()):
            ax.plot(values, [position] * len(values), "o", alpha=0.6, color="#4c72b0")
            ax.plot(values.mean(), position, "|", markersize=22, color="#c44e52")
        names = [{{ label.dummy }}, {{ label.linear }}, {{ label.forest }}]
        ax.set(yticks=range(3), yticklabels=names, ylim=(2.5, -0.5), xlabel={{ label.score }})
    notes = [{{ f.beats }} if beats_dummy else {{ f.no_better }}]
    if best > 0.995:
        notes.append({{ f.too_good }})
    report.findings.extend(notes)
    if len(data) < available:
        notes.append({{ f.sampled }})
    report.say({{ f.metric_classes }} if task == "classification" else {{ f.metric_amount }},
               report.markdown(notes, " "))
