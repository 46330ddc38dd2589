DATE_FORMATS = ["ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
                "%Y年%m月%d日", "%d %b %Y", "%b %d, %Y", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S",
                "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S"]


def to_number(text):
    """Numbers with thousands separators, decimal commas, currency or percent signs."""
    plain = text.str.replace(r"[\s€$£¥￥%]", "", regex=True)
    if plain.str.fullmatch(r"0\d+").any():
        return None
    decimal_comma = plain.str.contains(r",(?:\d{1,2}|\d{4,})$").any()
    if decimal_comma and not plain.str.contains(r",\d+\.").any():
        plain = plain.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    return pd.to_numeric(plain.str.replace(",", "", regex=False), errors="coerce")


def to_date(text):
    for date_format in DATE_FORMATS:
        for part in (text.head(300), text):
            dates = pd.to_datetime(part, format=date_format, errors="coerce", utc=True)
            if dates.notna().mean() < 0.95:
                break
        else:
            return dates.dt.tz_localize(None)
    return None


converted, unreadable = {}, {}
for name in df.columns[[not pd.api.types.is_numeric_dtype(dtype) for dtype in df.dtypes]]:
    text = df[name].dropna().astype(str).str.strip()
    if text.empty or set(text) <= {"True", "False"}:
        continue
    for kind, convert in (("number", to_number), ("date", to_date)):
        values = convert(text)
        if values is not None and values.notna().mean() >= 0.95:
            df[name] = values.reindex(df.index)
            converted[name] = kind
            unreadable[name] = list(text[values.isna()].unique()[:3])
            break

# An infinite value is the result of some earlier division by zero, not a measurement.
numeric = df.select_dtypes("number").columns
infinite = np.isinf(df[numeric].astype(float)).sum()
infinite = infinite[infinite > 0].to_dict()
df[list(infinite)] = df[list(infinite)].replace([np.inf, -np.inf], np.nan)
