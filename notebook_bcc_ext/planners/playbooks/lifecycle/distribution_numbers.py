@{{ name.report }}.run
def {{ name.report }}(report):
    df, numbers = report.df, report.columns("number")
    shown = sorted(numbers, key=lambda name: df[name].isna().mean())[:12]
    with report.plots(len(shown)) as axes:
        for ax, name in zip(axes, shown):
            values = df[name].dropna().astype(float)
            ax.hist(values.clip(*values.quantile([0.01, 0.99])), bins=25, color="#4c72b0")
            ax.set_title(report.column_label(name))

    skew = df[numbers].astype(float).skew().dropna()
    skew = skew[skew.abs() > 1].sort_values(key=abs, ascending=False)
    quartiles = df[numbers].astype(float).quantile([0.25, 0.75])
    reach = 3 * (quartiles.loc[0.75] - quartiles.loc[0.25])
    far = (df[numbers] < quartiles.loc[0.25] - reach) | (df[numbers] > quartiles.loc[0.75] + reach)
    far = far[reach.index[reach > 0]].mean().sort_values(ascending=False)
    notes = []
    if len(skew):
        notes.append({{ f.skewed }})
    if len(far) and far.iloc[0] > 0.01:
        notes.append({{ f.far }})
    report.findings.extend(notes)
    drawn = {{ f.shown }} if len(numbers) > len(shown) else {{ f.shown_all }}
    report.say(report.markdown([drawn, *notes], " "))
