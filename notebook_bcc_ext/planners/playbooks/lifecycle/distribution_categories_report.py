largest = pd.Series({name: df[name].value_counts(normalize=True).iloc[0] for name in categories})
dominated = largest[largest > 0.95]
cut = len(categories) > len(shown)
notes = [{{ f.shown_categories }} if cut else {{ text.all_categories }}]
if len(dominated):
    notes.append({{ f.dominated }})
    findings.append(notes[-1])
Markdown(" ".join(notes))
