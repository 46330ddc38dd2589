# The slower, more forgiving reader: lines that do not fit are left out.
df = pd.read_csv(
    path, sep=delimiter, encoding=encoding, encoding_errors="replace", names=names,
    header=0 if has_header else None, usecols=range(len(names)),
    skiprows=preface, on_bad_lines="skip", engine="python",
)
facts.update(rows=len(df), columns=df.shape[1], usable=len(df) > 0)
df.head()
