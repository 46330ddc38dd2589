findings = list(dict.fromkeys(findings))
report = [f"- {sentence}" for sentence in findings]
report += ["", {{ text.next_heading }}, ""]
report += [f"{number}. {step}" for number, step in enumerate(next_steps, start=1)]

if facts["task"] == "none":
    verdict = {{ text.verdict_none }}
elif facts["beats_dummy"]:
    verdict = {{ f.verdict_good }}
else:
    verdict = {{ f.verdict_bad }}
summary.update(Markdown({{ f.summary }}))
facts["reported"] = len(findings)
Markdown("\n".join(report))
