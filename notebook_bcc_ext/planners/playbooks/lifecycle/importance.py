@{{ name.report }}.run
def {{ name.report }}(report):
    import pandas as pd
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    X, y = report.X, report.y
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.25, random_state=0, stratify=y if report.task == "classification" else None
    )
    fitted = report.pipeline(report.models[report.best_model]).fit(X_train, y_train)
    loss = permutation_importance(fitted, X_test.head(500), y_test.head(500), random_state=0,
                                  scoring=report.metric, n_repeats=5 if len(X.columns) < 40 else 2)
    importance = pd.Series(loss.importances_mean, index=X.columns).sort_values(ascending=False)
    report.relied_on = list(importance[importance > max(0.05 * importance.max(), 0)].index)

    top = importance.head(10)[::-1]
    with report.plots(size=(6, 0.8 + 0.27 * len(top))) as [ax]:
        labels = [report.label(name, f"column {X.columns.get_loc(name) + 1}") for name in top.index]
        ax.barh(range(len(top)), top, tick_label=labels, color="#8172b3")
        ax.set(xlabel={{ label.loss }})
    note = {{ f.important }} if report.relied_on else {{ f.unimportant }}
    report.findings.append(note)
    report.say(note)
