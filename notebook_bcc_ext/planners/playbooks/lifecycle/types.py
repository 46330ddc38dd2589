@{{ name.report }}.run
def {{ name.report }}(report):
    import re

    import numpy as np
    import pandas as pd

    date_formats = [
        "ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y年%m月%d日",
        "%d %b %Y", "%b %d, %Y", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M",
        "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S",
    ]

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
        for date_format in date_formats:
            for part in (text.head(300), text):
                dates = pd.to_datetime(part, format=date_format, errors="coerce", utc=True)
                if dates.notna().mean() < 0.95:
                    break
            else:
                return dates.dt.tz_localize(None)
        return None

    def kind_of(name, values):
        """What a column can be used for."""
        known = values.dropna()
        distinct = known.nunique()
        if distinct <= 1:
            return "constant" if distinct else "empty"
        if pd.api.types.is_datetime64_any_dtype(known):
            return "date"
        if pd.api.types.is_bool_dtype(known) or set(known.head(1000).astype(str)) <= {"True", "False"}:
            return "boolean"
        every_row = len(known) >= 20 and distinct / len(known) > 0.95
        if pd.api.types.is_numeric_dtype(known):
            named = re.search(r"(^|[\W_])(id|uuid|key|index|idx|编号|序号)$", str(name), re.I)
            counts_up = (known.diff().iloc[1:] == 1).all()
            return "identifier" if every_row and (named or counts_up) else "number"
        text = known.astype(str)
        if every_row:
            return "identifier" if text.str.count(r"\s").median() <= 1 else "text"
        many = distinct > 50 and distinct / len(known) > 0.5
        return "text" if many or text.str.len().median() > 60 else "category"

    df = report.df
    converted, unreadable = {}, {}
    for name in df.columns:
        if pd.api.types.is_datetime64_any_dtype(df[name]):
            if df[name].dt.tz is not None:
                df[name] = df[name].dt.tz_convert("UTC").dt.tz_localize(None)
            continue
        if pd.api.types.is_numeric_dtype(df[name]):
            continue
        text = df[name].dropna().astype(str).str.strip()
        if text.empty or set(text) <= {"True", "False"}:
            continue
        for kind, convert in (({{ text.number }}, to_number), ({{ text.date }}, to_date)):
            values = convert(text)
            if values is not None and values.notna().mean() >= 0.95:
                df[name] = values.reindex(df.index)
                converted[name] = kind
                unreadable[name] = list(text[values.isna()].unique()[:3])
                break

    # An infinite value is the result of some earlier division by zero, not a measurement.
    numeric = df.select_dtypes("number").columns
    infinite = np.isinf(df[numeric].astype(float)).sum()
    report.infinite = infinite[infinite > 0].to_dict()
    for name in report.infinite:
        df[name] = df[name].replace([np.inf, -np.inf], np.nan)

    notes = []
    if converted:
        notes.append({{ f.converted }})
    for name, examples in unreadable.items():
        if examples:
            notes.append({{ f.unreadable }})
    report.notes.extend(notes[:8])

    report.kinds = kinds = {name: kind_of(name, df[name]) for name in df.columns}
    report.kind_names = {
        "number": {{ text.number }}, "category": {{ text.category }}, "boolean": {{ text.boolean }},
        "date": {{ text.date }}, "text": {{ text.text }}, "identifier": {{ text.identifier }},
        "constant": {{ text.constant }}, "empty": {{ text.empty }},
    }
    counts = pd.Series(kinds).map(report.kind_names).value_counts()
    report.facts.update(numbers=len(report.columns("number")),
                        categories=len(report.columns("category", "boolean")),
                        dates=len(report.columns("date")))
    report.findings.extend([{{ f.size }}, {{ f.kinds }}])
