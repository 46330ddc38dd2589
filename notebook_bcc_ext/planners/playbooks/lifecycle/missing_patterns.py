gaps = df[missing[(missing > 0.01) & (missing < 0.99)].head(15).index].isna().astype(float)
together = gaps.corr().to_numpy()
row, column = np.triu_indices(len(gaps.columns), k=1)
pairs = pd.DataFrame({
    {{ text.first }}: gaps.columns[row],
    {{ text.second }}: gaps.columns[column],
    {{ text.strength }}: together[row, column].round(2),
})
pairs = pairs.dropna().sort_values({{ text.strength }}, ascending=False).head(8)

# Does the size of another column differ between rows with and without a gap?
others = [name for name in df if kinds[name] == "number"][:30]
shifts = [(gap, name, (df[name][gaps[gap] == 1].mean() - df[name][gaps[gap] == 0].mean())
           / (df[name].std() or np.nan)) for gap in gaps for name in others if name != gap]
shifts = pd.DataFrame(shifts, columns=["gap", "name", "shift"]).dropna()
shifts = shifts.sort_values("shift", key=abs, ascending=False).head(8)
display(pairs.reset_index(drop=True))
