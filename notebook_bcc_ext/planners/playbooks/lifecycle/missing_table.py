missing = df.isna().mean().sort_values(ascending=False)
missing = missing[missing > 0]
top = missing.head(20)[::-1]

fig, ax = plt.subplots(figsize=(7, 0.8 + 0.25 * len(top)), layout="constrained")
ax.barh([column_label(name) for name in top.index], top * 100, color="#4c72b0")
ax.set(xlabel={{ label.share }}, xlim=(0, 100))
plt.show()
