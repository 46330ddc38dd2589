if wanted and target_column is None:
    reason = {{ f.unknown_target }}
elif len(df) < 40:
    reason = {{ f.few_rows }}
elif task is None:
    reason = {{ f.bad_target }} if wanted else {{ text.no_target }}
elif not features:
    reason = {{ f.no_features }}
else:
    reason = None

facts["task"] = "none" if reason else task
if not reason:
    shares = df[target_column].value_counts(normalize=True)
    facts.update(target=str(target_column)[:30], features=len(features),
                 smallest_class=round(float(shares.min()), 4) if task == "classification" else 1.0)
note = reason or ({{ f.given }} if wanted else {{ f.assumed }})
findings.append(note)
Markdown(note)
