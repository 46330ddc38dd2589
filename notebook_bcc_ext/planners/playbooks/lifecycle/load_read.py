def is_number(text):
    return re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?(e[-+]?\d+)?\s*", text, re.I) is not None


# A first line of nothing but numbers is data, unless they could be names such as 2019, 2020, 2021.
header = [name.strip() for name in rows[0]]
has_header = not all(map(is_number, header)) or (
    len(rows) > 1 and len(set(header)) == len(header) and all(name.isdigit() for name in header)
)
if not has_header:
    header = [""] * len(header)
usual_width = int(np.median([len(row) for row in rows[1:]] or [0]))
header += [""] * (usual_width - len(header))

names = []
for position, name in enumerate(header, start=1):
    name = name or f"column_{position}"
    taken = sum(other == name or other.startswith(f"{name}__") for other in names)
    names.append(f"{name}__{taken + 1}" if taken else name)

# Codes such as 00123 stay text: as numbers they would lose their zeros.
codes = [name for i, name in enumerate(names)
         if any(len(row) > i and re.fullmatch(r"0\d+", row[i].strip()) for row in rows[1:])]
options = dict(
    sep=delimiter, encoding=encoding, encoding_errors="replace", names=names,
    header=0 if has_header else None, usecols=range(len(names)), dtype=dict.fromkeys(codes, str),
    na_values=["?", "-", "--"], skipinitialspace=True, low_memory=False,
    skiprows=preface, nrows=1_000_000 if path.stat().st_size > 500_000_000 else None,
)
try:
    df = pd.read_csv(path, **options)
except pd.errors.ParserError:  # a quote that is never closed: take quotes as ordinary characters
    df = pd.read_csv(path, **options, quoting=csv.QUOTE_NONE)
unnamed = [name for name in names if name.startswith("column_")]
df = df.drop(columns=[name for name in unnamed if df[name].isna().all()])
facts.update(rows=len(df), columns=df.shape[1], usable=len(df) > 0 and df.shape[1] > 0)
df.head()
