if wanted and target_column is None:
    reason = {{ f.unknown_target }}
elif len(distinct) < 40:
    reason = {{ f.few_rows }}
elif task is None:
    reason = {{ f.bad_target }} if wanted else {{ text.no_target }}
elif not features:
    reason = {{ f.no_features }}
else:
    reason = None

facts["task"] = "none" if reason else task
if not reason:
    balance = 1.0  # the smallest class, compared with its even share
    if task == "classification":
        classes = distinct[target_column].value_counts()
        classes = classes[classes >= 10]
        balance = round(float(classes.min() / classes.mean()), 4)
    facts.update(target=str(target_column)[:30], features=len(features), balance=balance)
note = reason or ({{ f.given }} if wanted else {{ f.assumed }})
findings.append(note)
Markdown(note)
