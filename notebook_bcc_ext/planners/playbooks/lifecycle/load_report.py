renamed = [name for name in df.columns if re.search(r"__\d+$", name)]
too_long = sum(len(row) > len(names) for row in rows)
notes = []
if renamed:
    notes.append({{ f.note_renamed }})
if not has_header:
    notes.append({{ f.note_no_header }})
if preface:
    notes.append({{ f.note_preface }})
if too_long:
    notes.append({{ f.note_too_long }})
if len(df) == 1_000_000 and path.stat().st_size > 500_000_000:
    notes.append({{ f.note_cut }})

if facts["usable"]:
    findings.append({{ f.finding }})
    text = "\n\n".join([*findings, *notes])
else:
    text = {{ f.no_rows }}
    summary.update(Markdown(text))
facts["duplicate_names"] = len(renamed)
Markdown(text)
