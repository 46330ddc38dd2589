@{{ name.report }}.run
def {{ name.report }}(report):
    import pandas as pd
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import precision_score, recall_score
    from sklearn.model_selection import cross_val_predict

    y = report.y
    rare = y.value_counts().index[-1]
    only_rare = {"labels": [rare], "average": "macro", "zero_division": 0}
    found = []
    for weight in (None, "balanced"):
        model = report.pipeline(LogisticRegression(max_iter=3000, class_weight=weight))
        predicted = cross_val_predict(model, report.X, y, cv=report.folds)
        found.append((recall_score(y, predicted, **only_rare),
                      precision_score(y, predicted, **only_rare)))
    (plain, _), (weighted, correct) = found
    report.facts["rare_recall"] = round(float(weighted), 3)
    table = pd.DataFrame(found, index=[{{ text.plain }}, {{ text.weighted }}],
                         columns=[{{ text.recall }}, {{ text.precision }}])
    report.show(table.map("{:.0%}".format))
    report.findings.append({{ f.finding }})
    report.say({{ f.finding }})
