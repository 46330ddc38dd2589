from sklearn.model_selection import TimeSeriesSplit

date_columns = [name for name in df if kinds[name] == "date"]
time_column = max(date_columns, key=lambda name: df[name].notna().sum())
order = data[time_column].dropna().sort_values().index
X_sorted, y_sorted = X.loc[order], y.loc[order]
# A fold can only be learnt from when it has seen more than one value of the target.
splits = [(train, test) for train, test in TimeSeriesSplit(5).split(X_sorted)
          if y_sorted.iloc[train].nunique() > 1] if len(order) >= 30 else []
time_metric = "accuracy" if task == "classification" else "neg_mean_absolute_error"
time_scores = {}
for name in (dummy_name, best_name) if splits else ():
    found = cross_validate(pipeline(models[name]), X_sorted, y_sorted, cv=splits,
                           scoring=time_metric)
    time_scores[name] = found["test_score"]
facts["time_folds"] = len(splits)
if splits:
    ahead = abs(time_scores[best_name].mean())
    ahead_dummy = abs(time_scores[dummy_name].mean())
    shuffled = abs(scores[best_name][f"test_{time_metric}"].mean())
    note = {{ f.accuracy_ahead }} if task == "classification" else {{ f.error_ahead }}
else:
    note = {{ f.cannot_split }}
findings.append(note)
Markdown(note)
