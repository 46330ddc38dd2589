sample = df[numbers].astype(float)
if len(sample) > 10_000:
    sample = sample.sample(10_000, random_state=0)
correlation = sample.corr("spearman", min_periods=5)
row, column = np.triu_indices(len(numbers), k=1)
pairs = pd.DataFrame({
    {{ text.first }}: correlation.index[row],
    {{ text.second }}: correlation.columns[column],
    {{ text.strength }}: correlation.to_numpy()[row, column].round(3),
})
pairs = pairs.dropna().sort_values({{ text.strength }}, key=abs, ascending=False)
pairs = pairs.reset_index(drop=True)
facts["number_pairs"] = len(pairs)
pairs.head(8)
