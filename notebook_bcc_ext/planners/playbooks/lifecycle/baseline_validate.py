from sklearn.model_selection import KFold, StratifiedKFold, cross_validate


def pipeline(model):
    """Gaps are filled, numbers scaled and categories encoded inside each training fold."""
    fill = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    encode = OneHotEncoder(handle_unknown="ignore", max_categories=20, sparse_output=False)
    columns = ColumnTransformer([("numbers", make_pipeline(fill, StandardScaler()), numeric),
                                 ("categories", encode, textual)])
    return make_pipeline(columns, model)


if task == "classification":
    models = {
        {{ text.dummy }}: DummyClassifier(strategy="prior"),
        {{ text.linear }}: LogisticRegression(max_iter=3000),
        {{ text.forest }}: RandomForestClassifier(60, min_samples_leaf=3, random_state=0),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    metrics = {{{ text.balanced }}: "balanced_accuracy", {{ text.accuracy }}: "accuracy"}
else:
    models = {
        {{ text.dummy }}: DummyRegressor(strategy="mean"),
        {{ text.linear }}: Ridge(),
        {{ text.forest }}: RandomForestRegressor(60, min_samples_leaf=3, max_features=0.5,
                                                 random_state=0),
    }
    folds = KFold(5, shuffle=True, random_state=0)
    metrics = {"R²": "r2", {{ text.mae }}: "neg_mean_absolute_error"}

scores = {name: cross_validate(pipeline(model), X, y, cv=folds, scoring=list(metrics.values()))
          for name, model in models.items()}
results = pd.DataFrame(index=list(models))
for label, metric in metrics.items():
    sign = -1 if metric.startswith("neg_") else 1  # scikit-learn negates errors
    per_fold = {name: sign * found[f"test_{metric}"] for name, found in scores.items()}
    results[label] = [
        f"{values.mean():.3f} ± {values.std():.3f}"
        if abs(values.mean()) < 10
        else f"{values.mean():,.4g} ± {values.std():,.2g}"
        for values in per_fold.values()
    ]
results
