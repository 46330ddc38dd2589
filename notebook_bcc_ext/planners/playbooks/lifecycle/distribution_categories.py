categories = [name for name in df if kinds[name] in ("category", "boolean")]
shown = categories[:6]

width = min(3, len(shown))
height = -(-len(shown) // width)
fig, axes = plt.subplots(height, width, figsize=(3.4 * width + 1, 2.4 * height),
                         squeeze=False, layout="constrained")
for ax in axes.flat[len(shown):]:
    ax.set_axis_off()
for ax, name in zip(axes.flat, shown):
    counts = df[name].value_counts().head(8)[::-1]
    labels = [plot_label(value, f"value {i}", 16) for i, value in enumerate(counts.index)]
    ax.barh(range(len(counts)), counts, color="#55a868")
    ax.set_yticks(range(len(counts)), labels, fontsize=7)
    ax.set_title(column_label(name))
    ax.tick_params(axis="x", labelsize=7)
plt.show()
