@{{ name.report }}.run
def {{ name.report }}(report):
    df, kinds, facts, target = report.df, report.kinds, report.facts, report.target
    distinct = df.drop_duplicates()  # a model must not be tested on rows that it has learnt
    known = distinct[target].dropna()
    classes = known.value_counts()
    few_numbers = kinds[target] == "number" and len(classes) <= 10 and (known % 1 == 0).all()
    features = [name for name in report.columns("number", "category", "boolean", "date")
                if name != target and name not in report.twins and df[name].isna().mean() < 0.95]
    task, reason = "regression", None
    if few_numbers or kinds[target] != "number":
        task = "classification"
        large = classes[classes >= 10]
    if len(known) < 40:
        reason = {{ f.few_rows }}
    elif not features:
        reason = {{ f.no_features }}
    elif task == "classification" and len(large) < 2:
        reason = {{ f.small_classes }}

    facts.update(task="none" if reason else task, features=len(features))
    if not reason:
        # The smallest class, compared with its even share.
        balance = float(large.min() / large.mean()) if task == "classification" else 1.0
        facts["balance"] = round(balance, 4)
        report.task, report.features, report.distinct = task, features, distinct
    note = reason or ({{ f.classes }} if task == "classification" else {{ f.amount }})
    if reason:
        report.findings.append(note)
    report.say(note)
