numbers = [name for name in df if kinds[name] == "number"]
shown = sorted(numbers, key=lambda name: df[name].isna().mean())[:12]

width = min(4, len(shown))
height = -(-len(shown) // width)
fig, axes = plt.subplots(height, width, figsize=(2.6 * width + 1, 2.2 * height),
                         squeeze=False, layout="constrained")
for ax in axes.flat[len(shown):]:
    ax.set_axis_off()
for ax, name in zip(axes.flat, shown):
    values = df[name].dropna().astype(float)
    ax.hist(values.clip(*values.quantile([0.01, 0.99])), bins=25, color="#4c72b0")
    ax.set_title(column_label(name))
    ax.tick_params(labelsize=7)
plt.show()
