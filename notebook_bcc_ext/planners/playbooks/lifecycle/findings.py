@{{ name.report }}.run
def {{ name.report }}(report):
    facts, target = report.facts, report.target
    has_model = facts.get("task", "none") != "none"
    fails_in_time = facts.get("holds_in_time") is False
    unstable = has_model and facts["beats_dummy"] and facts.get("stable_wins", 20) < 19
    if has_model:
        best_name = report.model_names[report.best_model]
        metric_name = report.metric_name
        best, dummy = facts["best_score"], facts["dummy_score"]

    # What speaks against relying on the report comes first.
    warnings = []
    if has_model and fails_in_time:
        warnings.append({{ f.warn_time }})
    if has_model and not facts["beats_dummy"]:
        warnings.append({{ f.warn_no_better }})
    elif unstable:
        warnings.append({{ f.warn_unstable }})
    if facts["missing_share"] > 0.2:
        warnings.append({{ f.warn_missing }})
    if report.implausible:
        warnings.append({{ f.warn_implausible }})
    if facts["duplicate_rows"] > 0.05 * facts["rows"]:
        warnings.append({{ f.warn_duplicates }})

    steps = []
    if fails_in_time:
        steps.append({{ f.next_after_time }})
    elif has_model and not facts["beats_dummy"]:
        steps.append({{ f.next_features }})
    elif has_model and report.relied_on:
        steps.append({{ f.next_model }})
    if has_model and facts["dates"] and "time_folds" not in facts:
        steps.append({{ f.next_time }})
    if not facts["target_found"]:
        steps.append({{ f.next_target }})
    if facts["duplicate_rows"]:
        steps.append({{ f.next_duplicates }})
    if facts["missing_share"] > 0.05:
        steps.append({{ f.next_missing }})
    if report.implausible:
        steps.append({{ f.next_implausible }})
    if report.variants:
        steps.append({{ f.next_variants }})
    steps = steps or [{{ f.next_nothing }}]

    holds = has_model and facts["beats_dummy"] and not fails_in_time and not unstable
    model = [{{ f.model_holds }}] if holds else []
    size = {{ f.size }}
    findings = list(dict.fromkeys(report.findings))
    report.findings[:] = findings
    facts["reported"] = len(findings)

    def bullets(lines):
        return report.markdown([report.text("- {}", line) for line in lines], "\n")

    numbered = [report.text("{}. {}", n, one) for n, one in enumerate(steps, 1)]
    caution = [{{ f.caution_heading }}, bullets(warnings)] if warnings else []
    report.show_first(*report.opening(), *caution, *model, size)
    report.say(*caution, {{ f.findings_heading }}, bullets(findings),
               {{ f.next_heading }}, report.markdown(numbered, "\n"))
