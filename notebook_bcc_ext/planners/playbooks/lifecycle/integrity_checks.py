checks = []  # (what was checked, how many, which columns)

copies = int(df.duplicated().sum())
checks.append(({{ text.duplicate_rows }}, copies, []))
checks.append(({{ text.empty_rows }}, int(df.isna().all(axis=1).sum()), []))

hashes = {name: pd.util.hash_pandas_object(df[name].astype(str), index=False).sum() for name in df}
first_with = {value: name for name, value in reversed(hashes.items())}
twins = [name for name, value in hashes.items() if first_with[value] != name]
checks.append(({{ text.twin_columns }}, len(twins), twins))

numbers = [name for name in df if kinds[name] == "number"]
checks.append(({{ text.infinite }}, sum(infinite.values()), list(infinite)))

never_negative = r"age|price|cost|count|quantity|weight|height|年龄|价格|数量|重量|身高"
negative = [name for name in numbers
            if re.search(never_negative, str(name), re.I) and (df[name] < 0).any()]
checks.append(({{ text.negative }}, int((df[negative] < 0).sum().sum()), negative))

placeholders = [-999, -9999, 999, 9999, 99999]
coded = [name for name in numbers if df[name].isin(placeholders).mean() > 0.01]
coded_cells = int(df[coded].isin(placeholders).sum().sum())
checks.append(({{ text.coded }}, coded_cells, coded))

now = pd.Timestamp.now()
ahead = {name: int((df[name] > now).sum()) for name in df if kinds[name] == "date"}
future = [name for name, count in ahead.items() if count]
checks.append(({{ text.future }}, sum(ahead.values()), future))

variants = []
for name in (name for name in df if kinds[name] == "category"):
    values = pd.Series(df[name].dropna().unique()).astype(str)
    if values.str.strip().str.lower().nunique() < len(values):
        variants.append(name)
checks.append(({{ text.variants }}, len(variants), variants))
