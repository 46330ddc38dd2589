@{{ name.report }}.run
def {{ name.report }}(report):
    import numpy as np
    import pandas as pd
    from scipy import stats

    df, kinds, target = report.df, report.kinds, report.target
    rows = df[df[target].notna()]
    rows = rows if len(rows) <= 100_000 else rows.sample(100_000, random_state=0)
    outcome = rows[target]
    values = outcome.value_counts()
    is_number = kinds[target] == "number" and len(values) > 2
    event = None
    if is_number:
        measured = outcome.astype(float)
    else:
        yes = {"yes", "true", "1", "1.0", "y", "t", "是", "有", "流失", "churned", "left"}
        event = next((one for one in values.index if str(one).strip().lower() in yes),
                     values.index[-1] if len(values) == 2 else values.index[0])
        measured = (outcome == event).astype(float)

    fewest = int(max(10, np.ceil(0.01 * len(rows))))
    left_out = set()

    def neighbours(sizes):
        """The group of each value: values in order, joined until a group has enough rows."""
        group, size, found = 0, 0, {}
        for value, count in sizes.items():
            if size >= fewest:
                group, size = group + 1, 0
            found[value], size = group, size + count
        if size < fewest:
            return {value: max(min(at, group - 1), 0) for value, at in found.items()}
        return found

    def number_groups(numbers):
        """The values themselves where they are few, else four groups of about equal size."""
        if numbers.nunique() <= 6:
            groups = numbers.map(neighbours(numbers.value_counts().sort_index()))
        else:
            groups = pd.qcut(numbers, 4, labels=False, duplicates="drop")
            if groups.nunique() < 2:
                groups = (numbers > numbers.min()).astype(float).where(numbers.notna())
        ends = numbers.groupby(groups).agg(["min", "max"])
        names = {at: f"{low:,.6g}" if low == high else f"{low:,.4g} – {high:,.4g}"
                 for at, low, high in ends.itertuples()}
        return groups.map(names), list(names.values())

    def date_groups(dates):
        days = (dates.max() - dates.min()).days
        periods = dates.dt.to_period("Y" if days > 730 else "Q" if days > 120 else "M").astype(str)
        return periods.where(dates.notna()), sorted(periods[dates.notna()].unique())[-12:]

    def groups_of(name):
        """Each row's group in that column, and the groups in their order."""
        column = rows[name]
        if kinds[name] == "number":
            groups, order = number_groups(column.astype(float))
        elif kinds[name] == "date":
            groups, order = date_groups(column)
        else:
            groups = column.astype(object).map(str, na_action="ignore")
            order = list(groups.value_counts().index[:10])
        gap = {{ text.gap }}
        return groups.astype(object).where(groups.notna(), gap), [*order, gap]

    def compare(name):
        """How the target differs between the groups of a column; None if there is one group."""
        groups, order = groups_of(name)
        sizes = groups.value_counts()
        order = [one for one in order if sizes.get(one, 0) >= fewest]
        if len(order) < len(sizes):
            left_out.add(name)
        if len(order) < 2:
            return None
        inside = groups.isin(order)
        groups, seen = groups[inside], measured[inside]
        if is_number:
            samples = [seen[groups == one] for one in order]
            if seen.nunique() < 2:
                return None
            statistic, chance = stats.kruskal(*samples)
            strength = np.sqrt(max(statistic - len(order) + 1, 0) / (len(seen) - len(order)))
        else:
            table = pd.crosstab(groups, outcome[inside])
            table = table.loc[:, table.sum() > 0]
            if table.shape[1] < 2:
                return None
            statistic, chance, freedom, _ = stats.chi2_contingency(table)
            excess = max(statistic - freedom, 0) / len(seen)
            strength = np.sqrt(excess / (min(table.shape) - 1))
        means = seen.groupby(groups).agg(["mean", "std", "size"]).loc[order]
        by_size = means["mean"].sort_values(kind="stable").index
        return {"name": name, "strength": float(min(strength, 1)), "chance": float(chance),
                "means": means, "low": by_size[0], "high": by_size[-1]}

    features = [name for name in report.columns("number", "category", "boolean", "date")
                if name != target and df[name].isna().mean() < 0.95][:200]
    compared = [found for found in map(compare, features) if found]
    compared.sort(key=lambda found: -found["strength"])
    # With many columns some differ by chance: the more are compared, the more is asked of each.
    for found in compared:
        rank = sum(other["chance"] <= found["chance"] for other in compared)
        expected = found["chance"] * len(compared) / rank
        found["sure"] = 2 if expected < 0.01 else 1 if found["chance"] < 0.05 else 0
        if found["strength"] < 0.05:
            found["sure"] = 0
    clear, maybe, unclear = ([found for found in compared if found["sure"] == level]
                             for level in (2, 1, 0))
    report.compared, report.clear, report.event, report.measured = compared, clear, event, measured
    report.facts.update(compared=len(compared), clear=len(clear))

    def amount(value):
        return f"{value:.1%}" if not is_number else f"{value:,.4g}"

    overall = measured.mean()
    if is_number:
        middle = outcome.astype(float).quantile([0.25, 0.5, 0.75])
        answer = [{{ f.average }}]
    else:
        count = int(measured.sum())
        answer = [{{ f.share }}]

    def points(some):
        lines = []
        for found in some:
            name, low, high = found["name"], found["low"], found["high"]
            lowest, highest = found["means"].loc[low], found["means"].loc[high]
            lines.append(report.text("- {}", {{ f.point }}))
        return report.markdown(lines, "\n")

    if not compared:
        answer.append({{ f.nothing_to_compare }})
    elif not clear:
        answer.append({{ f.none_differs }})
    else:
        answer += [{{ f.most_different }}, points(clear[:6])]
        if clear[0]["strength"] > 0.95:
            answer.append({{ f.gives_away }})
    if maybe:
        answer += [{{ f.maybe_different }}, points(maybe[:4])]
    if clear and unclear:
        answer.append({{ f.unclear }})
    if clear:
        answer.append({{ f.not_causes }})
    report.answer = answer
    report.findings.append(answer[0])
    if clear:
        name = clear[0]["name"]
        report.findings.append({{ f.finding }})
    report.show_first(*report.opening(), {{ f.being_written }})

    words = [{{ text.by_chance }}, {{ text.probable }}, {{ text.certain }}]
    table = pd.DataFrame([{
        {{ text.column }}: found["name"],
        {{ text.lowest }}: f"{amount(found['means'].loc[found['low'], 'mean'])}  ({found['low']})",
        {{ text.highest }}: f"{amount(found['means'].loc[found['high'], 'mean'])}  ({found['high']})",
        {{ text.strength }}: f"{found['strength']:.2f}",
        {{ text.evidence }}: words[found["sure"]],
    } for found in compared[:30]])
    if compared:
        report.say({{ f.table_share }} if event is not None else {{ f.table_mean }})
        report.show(table, index=False)
        if left_out:
            report.say({{ f.left_out }})
