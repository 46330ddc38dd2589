@{{ name.report }}.run
def {{ name.report }}(report):
    import pandas as pd

    df, pairs, correlation = report.df, report.pairs, report.correlation
    strongest = pd.unique(pairs[["first", "second"]].head(30).to_numpy().ravel())[:12]
    if len(strongest) > 2:
        size = (2.5 + 0.42 * len(strongest), 1.5 + 0.38 * len(strongest))
        with report.plots(size=size, left=0) as [ax]:
            image = ax.imshow(correlation.loc[strongest, strongest], cmap="RdBu_r", vmin=-1, vmax=1)
            labels = [report.column_label(name) for name in strongest]
            ax.set_xticks(range(len(labels)), labels, rotation=60, ha="right")
            ax.set_yticks(range(len(labels)), labels)
            ax.spines[:].set_visible(False)
            ax.figure.colorbar(image, label={{ label.correlation }}, shrink=0.8)

    points = report.sample.sample(min(len(report.sample), 2000), random_state=0)
    related = pairs[pairs["value"].abs() >= 0.1].head(3)
    drawn = related if len(related) else pairs.head(1)
    with report.plots(len(drawn), per_row=3, size=(3, 2.6)) as axes:
        for ax, (first, second, value) in zip(axes, drawn.itertuples(index=False)):
            ax.scatter(points[first], points[second], s=6, alpha=0.4, color="#4c72b0")
            ax.set(xlabel=report.column_label(first), ylabel=report.column_label(second),
                   title=f"ρ = {value:.2f}")

    first, second, value = pairs.iloc[0]
    close = pairs[pairs["value"].abs() > 0.9]
    notes = [{{ f.strongest }} if abs(value) >= 0.2 else {{ f.none_strong }}]
    if len(close):
        notes.append({{ f.redundant }})
    report.findings.extend(notes)
    if len(report.columns("number")) > 12:
        notes.append({{ f.cut }})
    if len(df) > 10_000:
        notes.append({{ f.sampled }})
    report.say(report.markdown(notes, " "))
