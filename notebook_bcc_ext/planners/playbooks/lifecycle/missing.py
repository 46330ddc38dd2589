@{{ name.report }}.run
def {{ name.report }}(report):
    df = report.df
    missing = df.isna().mean().sort_values(ascending=False)
    report.missing = missing = missing[missing > 0]
    complete_rows = float(df.notna().all(axis=1).mean())
    almost_empty = list(missing[missing > 0.95].index)
    report.facts.update(missing_columns=len(missing), complete_rows=round(complete_rows, 4))
    if len(missing) > 1:
        top = missing.head(20)[::-1]
        with report.plots(size=(7, 0.8 + 0.25 * len(top))) as [ax]:
            ax.barh([report.column_label(name) for name in top.index], top * 100, color="#4c72b0")
            ax.set(xlabel={{ label.share }}, xlim=(0, 100))

    worst, share = missing.index[0], missing.iloc[0]
    notes = [{{ f.overview }}]
    if len(missing) > 1:
        notes.append({{ f.worst }})
    if len(missing) > 20:
        notes.append({{ f.cut }})
    if almost_empty:
        notes.append({{ f.almost_empty }})
    report.findings.append(report.markdown(notes[:1]))
    report.say(report.markdown([*notes, {{ f.treatment }}], " "))
