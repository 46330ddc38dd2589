skew = df[numbers].astype(float).skew().dropna()
skew = skew[skew.abs() > 1].sort_values(key=abs, ascending=False)
quartiles = df[numbers].astype(float).quantile([0.25, 0.75])
reach = 3 * (quartiles.loc[0.75] - quartiles.loc[0.25])
far = ((df[numbers] < quartiles.loc[0.25] - reach) | (df[numbers] > quartiles.loc[0.75] + reach))
far = far[reach.index[reach > 0]].mean().sort_values(ascending=False)
notes = [{{ f.shown }} if len(numbers) > len(shown) else {{ text.shown_all }}]
if len(skew):
    notes.append({{ f.skewed }})
if len(far) and far.iloc[0] > 0.01:
    notes.append({{ f.far }})
findings.extend(notes[1:])
Markdown(" ".join(notes))
