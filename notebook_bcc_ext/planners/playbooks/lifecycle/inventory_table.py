def spread(name):
    """The range of numbers and dates, the most frequent values of everything else."""
    known = df[name].dropna()
    if known.empty:
        return ""
    if kinds[name] == "number":
        return f"{known.min():.4g} … {known.max():.4g}"
    if kinds[name] == "date":
        return f"{known.min():%Y-%m-%d} … {known.max():%Y-%m-%d}"
    return ", ".join(str(value)[:20] for value in known.value_counts().index[:3])


inventory = pd.DataFrame({
    {{ text.kind }}: pd.Series(kinds).map(kind_names),
    {{ text.missing }}: (df.isna().mean() * 100).round(1),
    {{ text.distinct }}: df.nunique(),
    {{ text.values }}: {name: spread(name) for name in df.columns[:30]},
}).reindex(df.columns)
missing_share = df.isna().mean()
facts.update(missing_cells=int(df.isna().sum().sum()),
             missing_share=round(float(missing_share.mean()), 4),
             worst_missing=round(float(missing_share.max()), 4))
inventory.head(30)
