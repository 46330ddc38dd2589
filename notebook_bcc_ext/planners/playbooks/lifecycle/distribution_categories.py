@{{ name.report }}.run
def {{ name.report }}(report):
    import pandas as pd

    df, categories = report.df, report.columns("category", "boolean")
    shown = categories[:6]
    with report.plots(len(shown), per_row=3, size=(3.3, 2.4)) as axes:
        for ax, name in zip(axes, shown):
            counts = df[name].value_counts().head(8)[::-1]
            labels = [report.label(value, f"value {i}", 16) for i, value in enumerate(counts.index)]
            ax.barh(range(len(counts)), counts, color="#55a868")
            ax.set_yticks(range(len(counts)), labels, fontsize=7)
            ax.set_title(report.column_label(name))

    largest = pd.Series({name: df[name].value_counts(normalize=True).iloc[0] for name in categories})
    dominated = largest[largest > 0.95]
    notes = [{{ f.shown_categories }} if len(categories) > len(shown) else {{ f.all_categories }}]
    if len(dominated):
        notes.append({{ f.dominated }})
        report.findings.append(notes[-1])
    report.say(report.markdown(notes, " "))
