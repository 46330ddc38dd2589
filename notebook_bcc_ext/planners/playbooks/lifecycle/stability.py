from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, cross_val_score

splitter = StratifiedShuffleSplit if task == "classification" else ShuffleSplit
draws = splitter(20, test_size=0.25, random_state=1)
part = drawn_from(data, 2_000, seed=1).index
drawn = pd.DataFrame({
    name: cross_val_score(pipeline(models[name]), X.loc[part], y.loc[part], cv=draws,
                          scoring=main_metric)
    for name in (dummy_name, best_name)
})
low, high = drawn[best_name].quantile([0.05, 0.95])
wins = int((drawn[best_name] > drawn[dummy_name]).sum())
facts.update(stable_wins=wins, score_low=round(float(low), 4), score_high=round(float(high), 4))

fig, ax = plt.subplots(figsize=(6, 2.2), layout="constrained")
bins = np.histogram_bin_edges(drawn, 30)
ax.hist(drawn[dummy_name], bins, alpha=0.7, color="#999999", label={{ label.dummy }})
ax.hist(drawn[best_name], bins, alpha=0.7, color="#4c72b0", label={{ label.best }})
ax.set(xlabel={{ label.score }}, ylabel={{ label.draws }})
ax.legend(frameon=False)
plt.show()
findings.append({{ f.stable }} if wins >= 19 else {{ f.unstable }})
Markdown(findings[-1])
