integrity = pd.DataFrame(
    [(check, count, ", ".join(map(str, names[:5]))) for check, count, names in checks],
    columns=[{{ text.check }}, {{ text.found }}, {{ text.columns }}],
).set_index({{ text.check }})
facts.update(duplicate_rows=copies, problems=sum(count > 0 for _, count, _ in checks))

notes = []
if copies:
    notes.append({{ f.note_copies }})
if twins:
    notes.append({{ f.note_twins }})
if infinite:
    notes.append({{ f.note_infinite }})
if negative or future:
    notes.append({{ f.note_impossible }})
if coded:
    notes.append({{ f.note_coded }})
if variants:
    notes.append({{ f.note_variants }})
notes = notes or [{{ text.note_clean }}]
findings.extend(notes)
display(integrity)
Markdown("\n\n".join(notes))
