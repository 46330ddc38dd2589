@{{ name.report }}.run
def {{ name.report }}(report):
    import numpy as np

    shown = report.compared[:6]
    share = report.event is not None
    overall = report.measured.mean()
    with report.plots(len(shown), per_row=3, size=(3.3, 2.6)) as axes:
        for ax, found in zip(axes, shown):
            means = found["means"]
            spread = np.sqrt(means["mean"] * (1 - means["mean"])) if share else means["std"].fillna(0)
            sure = 1.96 * spread / np.sqrt(means["size"])
            low = np.minimum(sure, means["mean"]) if share else sure
            scale = 100 if share else 1
            places = range(len(means))
            ax.bar(places, means["mean"] * scale, yerr=[low * scale, sure * scale], color="#4c72b0",
                   error_kw={"ecolor": "#333333", "elinewidth": 1, "capsize": 2})
            ax.axhline(overall * scale, color="#c44e52", linewidth=1, linestyle="--")
            gap = {{ text.gap }}
            labels = [{{ label.gap }} if one == gap else report.label(one, f"value {at + 1}", 14)
                      for at, one in enumerate(means.index)]
            slanted = sum(map(len, labels)) > 28
            ax.set_xticks(places, labels, rotation=35 if slanted else 0,
                          ha="right" if slanted else "center", fontsize=7)
            ax.set_title(report.column_label(found["name"]))
            if share:
                ax.yaxis.set_major_formatter("{x:.0f} %")
    report.say({{ f.plot_share }} if share else {{ f.plot_mean }})
