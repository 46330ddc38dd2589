dates = [name for name in df if kinds[name] == "date"]
name = max(dates, key=lambda column: df[column].notna().sum())
known = df[name].dropna()
days = (known.max() - known.min()).days
step = "YE" if days > 3650 else "MS" if days > 120 else "D" if days > 2 else "h"
per_period = known.to_frame("when").set_index("when").assign(rows=1)["rows"].resample(step).sum()

fig, ax = plt.subplots(figsize=(8, 2.4), layout="constrained")
ax.plot(per_period.index, per_period, color="#c44e52", marker="." if len(per_period) < 60 else "")
ax.set(title=column_label(name), ylabel={{ label.rows }}, ylim=(0, 1.1 * per_period.max()))
plt.show()
findings.append({{ f.period }})
Markdown(findings[-1])
