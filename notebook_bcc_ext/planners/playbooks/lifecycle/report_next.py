next_steps = []
if facts["duplicate_rows"]:
    next_steps.append({{ f.next_duplicates }})
if facts["missing_share"] > 0.05:
    next_steps.append({{ f.next_missing }})
if negative or future or coded:
    next_steps.append({{ f.next_impossible }})
if variants:
    next_steps.append({{ f.next_variants }})
if facts["task"] == "none":
    next_steps.append({{ text.next_target }})
elif not facts["beats_dummy"]:
    next_steps.append({{ f.next_features }})
else:
    next_steps.append({{ f.next_model }})
if facts["dates"] and facts["task"] != "none" and "time_folds" not in facts:
    next_steps.append({{ text.next_time }})
