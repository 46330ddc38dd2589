unused = ("constant", "empty", "identifier", "text")
aside = [name for name, kind in kinds.items() if kind in unused]
notes = []
if len(df.columns) > 30:
    notes.append({{ f.cut }})
if facts["rows"] == 1:
    notes.append({{ text.one_row }})
if aside:
    notes.append({{ f.aside }})
if facts["missing_cells"] == 0:
    notes.append({{ text.complete }})
    findings.append({{ text.complete }})
else:
    notes.append({{ f.incomplete }})
Markdown("\n\n".join(notes))
