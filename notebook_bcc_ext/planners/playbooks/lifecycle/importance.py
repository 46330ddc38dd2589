from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

split = train_test_split(X, y, test_size=0.25, random_state=0,
                         stratify=y if task == "classification" else None)
X_train, X_test, y_train, y_test = split
fitted = pipeline(models[best_name]).fit(X_train, y_train)
held_out = X_test.head(500)
drop = permutation_importance(fitted, held_out, y_test.head(500), scoring=main_metric,
                              n_repeats=5 if len(X.columns) < 40 else 2, random_state=0)
importance = pd.Series(drop.importances_mean, index=X.columns).sort_values(ascending=False)
relied_on = importance[importance > 0.05 * importance.max()]
top = importance.head(10)[::-1]

fig, ax = plt.subplots(figsize=(6, 0.8 + 0.27 * len(top)), layout="constrained")
labels = [plot_label(name, f"column {X.columns.get_loc(name) + 1}") for name in top.index]
ax.barh(range(len(top)), top, tick_label=labels, color="#8172b3")
ax.set(xlabel={{ label.loss }})
plt.show()
findings.append({{ f.important }})
Markdown(findings[-1])
