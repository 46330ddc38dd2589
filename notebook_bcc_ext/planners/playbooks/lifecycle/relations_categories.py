@{{ name.report }}.run
def {{ name.report }}(report):
    import numpy as np
    import pandas as pd

    def cramers_v(one, other):
        """Association of two categories, 0 to 1, corrected for small tables."""
        table = pd.crosstab(one, other).to_numpy(float)
        total = table.sum()
        if min(table.shape) < 2 or total < 10:
            return np.nan
        expected = np.outer(table.sum(1), table.sum(0)) / total
        r, k = table.shape
        phi2 = ((table - expected) ** 2 / expected).sum() / total - (r - 1) * (k - 1) / (total - 1)
        smaller = min(r - (r - 1) ** 2 / (total - 1), k - (k - 1) ** 2 / (total - 1)) - 1
        return np.sqrt(max(phi2, 0) / smaller) if smaller > 0 else np.nan

    df = report.df
    few_values = [name for name in report.columns("category", "boolean")
                  if df[name].nunique() <= 30][:12]
    part = df if len(df) <= 20_000 else df.sample(20_000, random_state=0)
    pairs = pd.DataFrame(
        [(one, other, cramers_v(part[one], part[other]))
         for i, one in enumerate(few_values) for other in few_values[i + 1:]],
        columns=["one", "other", "value"],
    ).dropna().sort_values("value", ascending=False)
    if not len(pairs):
        report.say({{ f.no_pairs }})
        return
    titles = [{{ text.first }}, {{ text.second }}, {{ text.strength }}]
    report.show(pairs.head(8).round(3).set_axis(titles, axis=1), index=False)
    one, other, value = pairs.iloc[0]
    note = {{ f.strongest_categories }} if value >= 0.1 else {{ f.no_association }}
    report.findings.append(note)
    report.say(note)
