@{{ name.report }}.run
def {{ name.report }}(report):
    import re

    import pandas as pd

    df, facts = report.df, report.facts
    numbers, dates = report.columns("number"), report.columns("date")

    copies = int(df.duplicated().sum())
    empty_rows = int(df.isna().all(axis=1).sum())

    hashes = {name: pd.util.hash_pandas_object(df[name].astype(str), index=False).sum() for name in df}
    first_with = {value: name for name, value in reversed(hashes.items())}
    twins = [name for name, value in hashes.items() if first_with[value] != name]

    never_negative = r"age|price|cost|count|quantity|weight|height|年龄|价格|数量|重量|身高"
    negative = [name for name in numbers
                if re.search(never_negative, str(name), re.I) and (df[name] < 0).any()]

    placeholders = [-999, -9999, 999, 9999, 99999]
    coded = [name for name in numbers if df[name].isin(placeholders).mean() > 0.01]

    now = pd.Timestamp.now()
    ahead = {name: int((df[name] > now).sum()) for name in dates}
    future = [name for name, count in ahead.items() if count]

    variants = []
    for name in report.columns("category"):
        values = pd.Series(df[name].dropna().unique()).astype(str)
        if values.str.strip().str.lower().nunique() < len(values):
            variants.append(name)

    checks = [  # (what was checked, how many, which columns)
        ({{ text.duplicate_rows }}, copies, []),
        ({{ text.empty_rows }}, empty_rows, []),
        ({{ text.twin_columns }}, len(twins), twins),
        ({{ text.infinite }}, sum(report.infinite.values()), list(report.infinite)),
        ({{ text.negative }}, int((df[negative] < 0).sum().sum()), negative),
        ({{ text.coded }}, int(df[coded].isin(placeholders).sum().sum()), coded),
        ({{ text.future }}, sum(ahead.values()), future),
        ({{ text.variants }}, len(variants), variants),
    ]
    report.twins, report.variants = twins, variants
    report.implausible = [*negative, *future, *coded]
    facts.update(duplicate_rows=copies, problems=sum(count > 0 for _, count, _ in checks))
    report.show(pd.DataFrame({
        {{ text.check }}: [check for check, _, _ in checks],
        {{ text.found }}: [f"{count:,}" for _, count, _ in checks],
        {{ text.columns }}: [", ".join(map(str, names[:5])) for _, _, names in checks],
    }), index=False)

    notes = []
    if copies:
        notes.append({{ f.note_copies }})
    if twins:
        notes.append({{ f.note_twins }})
    if report.infinite:
        notes.append({{ f.note_infinite }})
    if negative or future:
        notes.append({{ f.note_impossible }})
    if coded:
        notes.append({{ f.note_coded }})
    if variants:
        notes.append({{ f.note_variants }})
    notes = notes or [{{ f.note_clean }}]
    report.findings.extend(notes)
    report.say(*notes)
