notes = []
strong = pairs[pairs[{{ text.strength }}] > 0.5]
if len(strong):
    gap, other, value = strong.iloc[0]
    notes.append({{ f.together }})
if len(shifts) and abs(shifts["shift"].iloc[0]) > 0.3:
    gap, name, shift = shifts.iloc[0]
    notes.append({{ f.shifted }})
notes = notes or [{{ text.random }}]
facts["missing_is_patterned"] = len(notes) > 0 and notes != [{{ text.random }}]
findings.extend(notes)
Markdown("\n\n".join(notes))
