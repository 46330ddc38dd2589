@{{ name.report }}.run
def {{ name.report }}(report):
    import numpy as np
    import pandas as pd

    df, missing = report.df, report.missing
    gaps = df[missing[(missing > 0.01) & (missing < 0.99)].head(15).index].isna().astype(float)
    together = gaps.corr().to_numpy()
    row, column = np.triu_indices(len(gaps.columns), k=1)
    pairs = pd.DataFrame({
        "gap": gaps.columns[row], "other": gaps.columns[column], "value": together[row, column],
    })
    pairs = pairs.dropna().sort_values("value", ascending=False).head(8)

    # Does the size of another column differ between rows with and without a gap?
    others = report.columns("number")[:30]
    shifts = [(gap, name, (df[name][gaps[gap] == 1].mean() - df[name][gaps[gap] == 0].mean())
               / (df[name].std() or np.nan)) for gap in gaps for name in others if name != gap]
    shifts = pd.DataFrame(shifts, columns=["gap", "name", "shift"]).dropna()
    shifts = shifts.sort_values("shift", key=abs, ascending=False)
    report.show(pairs.set_axis([{{ text.first }}, {{ text.second }}, {{ text.strength }}], axis=1),
                index=False)

    notes = []
    if len(pairs) and pairs["value"].iloc[0] > 0.5:
        gap, other, value = pairs.iloc[0]
        notes.append({{ f.together }})
    if len(shifts) and abs(shifts["shift"].iloc[0]) > 0.3:
        gap, name, shift = shifts.iloc[0]
        notes.append({{ f.shifted }})
    report.facts["missing_is_patterned"] = bool(notes)
    notes = notes or [{{ f.random }}]
    report.findings.extend(notes)
    report.say(*notes)
