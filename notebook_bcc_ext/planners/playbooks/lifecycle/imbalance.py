from sklearn.metrics import precision_score, recall_score
from sklearn.model_selection import cross_val_predict

rare = y.value_counts().index[-1]
rare_rows = {}
for label, weight in (({{ text.plain }}, None), ({{ text.weighted }}, "balanced")):
    model = pipeline(LogisticRegression(max_iter=3000, class_weight=weight))
    predicted = cross_val_predict(model, X, y, cv=folds)
    only_rare = {"labels": [rare], "average": "macro", "zero_division": 0}
    rare_rows[label] = {
        {{ text.recall }}: recall_score(y, predicted, **only_rare),
        {{ text.precision }}: precision_score(y, predicted, **only_rare),
    }
rare_class = pd.DataFrame(rare_rows).T.round(3)
plain, weighted = rare_class.iloc[0], rare_class.iloc[1]
facts["rare_recall"] = round(float(weighted.iloc[0]), 3)
findings.append({{ f.finding }})
display(rare_class)
Markdown(findings[-1])
