@{{ name.report }}.run
def {{ name.report }}(report):
    df = report.df
    name = max(report.columns("date"), key=lambda column: df[column].notna().sum())
    known = df[name].dropna()
    first, last = f"{known.min():%Y-%m-%d}", f"{known.max():%Y-%m-%d}"
    days = (known.max() - known.min()).days
    step = "YE" if days > 3650 else "MS" if days > 120 else "D" if days > 2 else "h"
    counts = known.to_frame("when").set_index("when").assign(rows=1)["rows"].resample(step).sum()
    with report.plots(size=(7.5, 2.4)) as [ax]:
        ax.plot(counts.index, counts, color="#c44e52", marker="." if len(counts) < 60 else "")
        ax.set(title=report.column_label(name), ylabel={{ label.rows }},
               ylim=(0, 1.1 * counts.max()))
    report.findings.append({{ f.period }})
    report.say({{ f.period }})
