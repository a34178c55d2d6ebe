"""The table, as Markdown and as JSON."""

import json

from targets import verdicts


def markdown(comparison):
    lines = [
        f"# Comparison of {comparison['when']}", "",
        f"{comparison['machine']}. {comparison['rounds']}; medians of the rounds. It took {comparison['minutes']:.0f} minutes.",
        "",
        ", ".join(f"{name} {version}" for name, version in comparison["versions"].items()) + ".", "",
        f"PostgreSQL, the same for all that use it: {comparison['settings']}.", "",
        "Ratios are Trolley's figure by the peer's. Processor time is that of the servers while the workload ran, by the "
        "thousand requests; the load's is the same of wrk, pgbench or population, and its share of all processors. "
        "Memory is that of the servers' processes afterwards, with shared pages shared out (PSS).", "",
        "| workload | server | figure | p50, ms | p99, ms | Trolley ÷ it | CPU s/1,000 | the load's | memory, MB | |",
        "|---|---|--:|--:|--:|--:|---|---|---|---|",
    ]
    for workload in comparison["workloads"]:
        results = comparison["results"].get(workload.key, {})
        for peer, measured in results.items():
            lines.append(_row(workload, peer, measured, results.get("Trolley")))
    lines += [
        "", "Beside a target stands what limits it on this machine, measured in the same run: HTTP that answers nothing, an "
        "append that nobody is told of, the same rows moved by PostgreSQL alone.", "",
        "| target | measured | | the limit here |", "|---|--:|---|---|"]
    for each in verdicts(comparison["results"], comparison["sizes"]):
        word = {True: "met", False: "**not met**", None: "not measured"}[each.met]
        if each.note:
            word += f": {each.note}"
        lines.append(f"| {each.text} | {each.figure or '–'} | {word} | {each.limit or ''} |")
    lines += ["", "What each promises:", ""]
    lines += [f"- {text}" for text in comparison["promises"]]
    return "\n".join(lines) + "\n"


def _row(workload, peer, measured, own):
    ratio = "" if peer == "Trolley" or not own or not measured.value else f"{own.value / measured.value:.2f}"
    cpu = ", ".join(
        f"{name} {seconds / measured.requests * 1000:.2f}" for name, seconds in measured.cpu.items() if measured.requests)
    memory = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in measured.memory.items())
    load = measured.load_share and (
        f"{measured.load_cpu / measured.requests * 1000:.2f} ({measured.load_share:.0%})" if measured.requests else "")
    notes = [f"{name} {value:,.4g}" for name, value in measured.extra.items() if value is not None]
    if measured.is_limited_by_load:
        notes.insert(0, "limited by the load generator: the server may be faster")
    if measured.fault:
        notes.insert(0, f"**proves nothing: {measured.fault}**")
    cells = [
        f"{workload.group}: {workload.title}", peer, f"{measured.value:,.{_digits(measured.value)}f} {workload.unit}",
        _milliseconds(measured.p50), _milliseconds(measured.p99), ratio, cpu, load or "", memory, "; ".join(notes)]
    return "| " + " | ".join(cells) + " |"


def _digits(value):
    return 0 if value >= 100 else 2


def _milliseconds(value):
    return "" if value is None else f"{value:.2f}"


def as_json(comparison):
    return json.dumps(
        {
            "when": comparison["when"], "minutes": comparison["minutes"], "machine": comparison["machine"],
            "rounds": comparison["rounds"], "sizes": vars(comparison["sizes"]), "settings": comparison["settings"],
            "versions": comparison["versions"], "promises": comparison["promises"],
            "workloads": [
                {
                    "workload": workload.group, "title": workload.title, "unit": workload.unit,
                    "servers": {
                        peer: {
                            **vars(measured), "load_share": measured.load_share,
                            "is_limited_by_load": measured.is_limited_by_load,
                        } for peer, measured in comparison["results"].get(workload.key, {}).items()},
                    "rounds": comparison["raw"].get(workload.key, {}),
                } for workload in comparison["workloads"]],
            "targets": [vars(each) for each in verdicts(comparison["results"], comparison["sizes"])],
        }, indent=2, default=vars)
