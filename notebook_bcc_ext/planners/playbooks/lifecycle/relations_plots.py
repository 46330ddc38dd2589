strongest = pd.unique(pairs.iloc[:, :2].head(30).to_numpy().ravel())[:12]
fig, ax = plt.subplots(figsize=(2.5 + 0.42 * len(strongest), 1.5 + 0.38 * len(strongest)),
                       layout="constrained")
image = ax.imshow(correlation.loc[strongest, strongest], cmap="RdBu_r", vmin=-1, vmax=1)
labels = [column_label(name) for name in strongest]
ax.set_xticks(range(len(labels)), labels, rotation=60, ha="right", fontsize=8)
ax.set_yticks(range(len(labels)), labels, fontsize=8)
ax.spines[:].set_visible(False)
fig.colorbar(image, label={{ label.correlation }}, shrink=0.8)
plt.show()

points = sample.sample(min(len(sample), 2000), random_state=0)
fig, axes = plt.subplots(1, min(3, len(pairs)), figsize=(3 * min(3, len(pairs)) + 1, 2.6),
                         squeeze=False, layout="constrained")
for ax, (first, second, value) in zip(axes.flat, pairs.head(3).itertuples(index=False)):
    ax.scatter(points[first], points[second], s=6, alpha=0.4, color="#4c72b0")
    ax.set(xlabel=column_label(first), ylabel=column_label(second), title=f"ρ = {value:.2f}")
    ax.tick_params(labelsize=7)
plt.show()
