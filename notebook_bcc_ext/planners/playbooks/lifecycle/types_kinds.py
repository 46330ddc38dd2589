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


kinds = {name: kind_of(name, df[name]) for name in df.columns}
kind_names = {
    "number": {{ text.number }}, "category": {{ text.category }}, "boolean": {{ text.boolean }},
    "date": {{ text.date }}, "text": {{ text.text }}, "identifier": {{ text.identifier }},
    "constant": {{ text.constant }}, "empty": {{ text.empty }},
}
counts = pd.Series(kinds).map(kind_names).value_counts()
facts.update(numbers=sum(kind == "number" for kind in kinds.values()),
             categories=sum(kind in ("category", "boolean") for kind in kinds.values()),
             dates=sum(kind == "date" for kind in kinds.values()))
notes = [{{ f.kinds }}]
if converted:
    notes.append({{ f.converted }})
for name, examples in unreadable.items():
    if examples:
        notes.append({{ f.unreadable }})
findings.append(notes[0])
Markdown("\n\n".join(notes[:8]))
