main_label, main_metric = next(iter(metrics.items()))
per_fold = {name: found[f"test_{main_metric}"] for name, found in scores.items()}
dummy_name, *model_names = models
best_name = max(model_names, key=lambda name: per_fold[name].mean())
best, dummy = per_fold[best_name].mean(), per_fold[dummy_name].mean()
uncertainty = per_fold[best_name].std() / np.sqrt(5)
beats_dummy = bool(best - dummy > max(2 * uncertainty, 0.02))
facts.update(best_score=round(float(best), 4), dummy_score=round(float(dummy), 4),
             beats_dummy=beats_dummy)

fig, ax = plt.subplots(figsize=(6, 2.2), layout="constrained")
plot_names = [{{ label.dummy }}, {{ label.linear }}, {{ label.forest }}]
for position, values in enumerate(per_fold.values()):
    ax.plot(values, [position] * len(values), "o", alpha=0.6, color="#4c72b0")
    ax.plot(values.mean(), position, "|", markersize=22, color="#c44e52")
ax.set(yticks=range(3), yticklabels=plot_names, ylim=(2.5, -0.5), xlabel={{ label.score }})
plt.show()

notes = [{{ f.beats }} if beats_dummy else {{ f.no_better }}]
if best > 0.995:
    notes.append({{ text.too_good }})
findings.extend(notes)
if len(data) < rows_available:
    notes.append({{ f.sampled }})
Markdown(" ".join(notes))
