@{{ name.report }}.run
def {{ name.report }}(report):
    import numpy as np
    import pandas as pd

    df, numbers = report.df, report.columns("number")
    sample = df[numbers].astype(float)
    if len(sample) > 10_000:
        sample = sample.sample(10_000, random_state=0)
    correlation = sample.corr("spearman", min_periods=5)
    row, column = np.triu_indices(len(numbers), k=1)
    pairs = pd.DataFrame({
        "first": correlation.index[row], "second": correlation.columns[column],
        "value": correlation.to_numpy()[row, column].round(3),
    })
    pairs = pairs.dropna().sort_values("value", key=abs, ascending=False)
    report.sample, report.correlation, report.pairs = sample, correlation, pairs
    report.facts["number_pairs"] = len(pairs)
    if len(pairs):
        titles = [{{ text.first }}, {{ text.second }}, {{ text.strength }}]
        report.show(pairs.head(8).set_axis(titles, axis=1), index=False)
    else:
        report.say({{ f.no_pairs }})
