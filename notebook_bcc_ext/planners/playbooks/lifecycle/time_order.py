@{{ name.report }}.run
def {{ name.report }}(report):
    from sklearn.model_selection import TimeSeriesSplit, cross_val_score

    df, facts = report.df, report.facts
    time_column = max(report.columns("date"), key=lambda name: df[name].notna().sum())
    order = report.data[time_column].dropna().sort_values().index
    X, y = report.X.loc[order], report.y.loc[order]

    def has_variety(values):
        return values.nunique() > 1

    # A fold says something when what is learnt and what is tested have more than one value.
    splits = [(train, test) for train, test in TimeSeriesSplit(5).split(X)
              if has_variety(y.iloc[train]) and has_variety(y.iloc[test])] if len(order) >= 30 else []
    facts["time_folds"] = len(splits)
    if not splits:
        report.findings.append({{ f.cannot_split }})
        report.say({{ f.cannot_split }})
        return

    def ahead_of(model):
        scores = cross_val_score(report.pipeline(report.models[model]), X, y, cv=splits,
                                 scoring=report.metric)
        return float(scores.mean())

    ahead, ahead_dummy = ahead_of(report.best_model), ahead_of("dummy")
    metric_name, shuffled = report.metric_name, facts["best_score"]
    best_name = report.model_names[report.best_model]
    facts.update(time_score=round(ahead, 4), time_dummy=round(ahead_dummy, 4),
                 holds_in_time=bool(ahead - ahead_dummy > 0.02))
    note = {{ f.holds }} if facts["holds_in_time"] else {{ f.fails }}
    report.findings.append(note)
    report.say(note)
