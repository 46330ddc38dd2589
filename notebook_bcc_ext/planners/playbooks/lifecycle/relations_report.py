first, second, value = pairs.iloc[0]
strong = pairs[pairs[{{ text.strength }}].abs() > 0.9]
notes = [{{ f.strongest }} if abs(value) >= 0.2 else {{ f.none_strong }}]
if len(strong):
    notes.append({{ f.redundant }})
findings.extend(notes)
if len(numbers) > 12:
    notes.append({{ f.cut }})
if len(df) > 10_000:
    notes.append({{ f.sampled }})
facts["strongest_correlation"] = round(float(abs(value)), 3)
Markdown(" ".join(notes))
