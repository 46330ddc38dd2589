@{{ name.report }}.run
def {{ name.report }}(report):
    import pandas as pd

    df, kinds, facts = report.df, report.kinds, report.facts

    def spread(name):
        """The range of numbers and dates, the most frequent values of everything else."""
        known = df[name].dropna()
        if known.empty:
            return ""
        if kinds[name] == "number":
            return f"{known.min():,.4g} … {known.max():,.4g}"
        if kinds[name] == "date":
            return f"{known.min():%Y-%m-%d} … {known.max():%Y-%m-%d}"
        return ", ".join(str(value)[:20] for value in known.value_counts().index[:3])

    missing = df.isna().mean()
    facts.update(missing_cells=int(df.isna().sum().sum()),
                 missing_share=round(float(missing.mean()), 4))
    named = report.code(report.names["df"])
    place = {{ f.in_df }} if report.names["df"] == "df" else {{ f.in_other }}
    report.say(report.markdown([{{ f.read }}, *report.notes, place], " "))
    report.show(df.head(), index=False)
    report.say({{ f.columns_follow }})
    shown = list(df.columns[:30])
    report.show(pd.DataFrame({
        {{ text.kind }}: [report.kind_names[kinds[name]] for name in shown],
        {{ text.missing }}: [f"{missing[name]:.1%}" if missing[name] else "–" for name in shown],
        {{ text.distinct }}: [f"{df[name].nunique():,}" for name in shown],
        {{ text.values }}: [spread(name) for name in shown],
    }, index=shown))

    aside = report.columns("constant", "empty", "identifier", "text")
    notes = []
    if len(df.columns) > 30:
        notes.append({{ f.cut }})
    if facts["rows"] == 1:
        notes.append({{ f.one_row }})
    if aside:
        notes.append({{ f.aside }})
    if facts["missing_cells"] == 0:
        notes.append({{ f.complete }})
        report.findings.append({{ f.complete }})
    else:
        notes.append({{ f.incomplete }})
    report.say(*notes)
