complete_rows = float(df.notna().all(axis=1).mean())
mostly_missing = list(missing[missing > 0.95].index)
facts.update(missing_columns=len(missing), complete_rows=round(complete_rows, 4))
notes = [{{ f.overview }}, {{ f.worst }}]
if len(missing) > 20:
    notes.append({{ f.cut }})
if mostly_missing:
    notes.append({{ f.mostly }})
notes.append({{ text.treatment }})
findings.append(notes[0])
Markdown(" ".join(notes))
