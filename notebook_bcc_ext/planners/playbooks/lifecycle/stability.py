@{{ name.report }}.run
def {{ name.report }}(report):
    import numpy as np
    import pandas as pd
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, cross_val_score

    facts, metric_name = report.facts, report.metric_name
    splitter = StratifiedShuffleSplit if report.task == "classification" else ShuffleSplit
    draws = splitter(20, test_size=0.25, random_state=1)
    part = report.drawn_from(report.data, 2_000, seed=1).index
    drawn = pd.DataFrame({
        name: cross_val_score(report.pipeline(report.models[model]), report.X.loc[part],
                              report.y.loc[part], cv=draws, scoring=report.metric)
        for name, model in (("dummy", "dummy"), ("best", report.best_model))
    })
    low, high = drawn["best"].quantile([0.05, 0.95])
    wins = int((drawn["best"] > drawn["dummy"]).sum())
    facts.update(stable_wins=wins, score_low=round(float(low), 4), score_high=round(float(high), 4))

    with report.plots(size=(6, 2.2)) as [ax]:
        bins = np.histogram_bin_edges(drawn, 30)
        ax.hist(drawn["dummy"], bins, alpha=0.7, color="#999999", label={{ label.dummy }})
        ax.hist(drawn["best"], bins, alpha=0.7, color="#4c72b0", label={{ label.best }})
        ax.set(xlabel={{ label.score }}, ylabel={{ label.draws }})
        ax.legend(frameon=False)
    best_name = report.model_names[report.best_model]
    if wins < 19:
        note = {{ f.unstable }}
    else:
        note = {{ f.only_shuffled }} if facts.get("holds_in_time") is False else {{ f.stable }}
    report.findings.append(note)
    report.say(note)
