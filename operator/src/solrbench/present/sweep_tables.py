"""The tables of a sweep's report, as texts.

The report of a sweep as GitHub's Markdown.
"""

from collections.abc import Iterable, Iterator

from solrbench.analysis.sentences import format_signed
from solrbench.api.v1alpha1.findings import ObjectiveConclusion
from solrbench.present.fact_tables import environment_tables, step_label
from solrbench.present.result_tables import join_fitting, table_section
from solrbench.present.sweep_report import PointReport, RoundReport, SweepReport
from solrbench.present.table import Row, TextTable, escape_markdown, markdown_list
from solrbench.stats.number_format import format_milliseconds, format_number, format_share
from solrbench.sweep.state import PointState

_GIBIBYTE = 1 << 30
_TEXTS = frozenset({"State", "Word", "Reason", "Result", "Step", "Message"})

POINTS_NOTE = (
    "Figures are those of the last step; ± is the relative standard deviation of the repeats."
    " Words and intervals are beside the baseline, of all points together (docs/method.md)."
)


def points_table(report: SweepReport) -> TextTable:
    """Return a row for each point, in the order of measuring."""
    axes = report.axes
    head = ("Point", *axes, "State", "Word", "Difference", "95 % interval", "Requests/s", "P95")
    head += ("Failed", "±", "Repeats", "Cores", "Memory")
    rows = [_point(point, axes) for point in report.points]
    texts = _TEXTS | frozenset(axes)
    return TextTable("Points", head, rows, 1, texts, POINTS_NOTE).without_empty_columns()


def _point(point: PointReport, axes: Iterable[str]) -> Row:
    result = point.result
    return (
        point.name,
        *(point.values.get(axis, "") for axis in axes),
        result.state,
        "baseline" if point.is_baseline else str(result.word or ""),
        format_difference(point),
        format_difference_interval(point),
        _number(result.requests_per_second),
        _milliseconds(result.p95_milliseconds),
        _number(result.failed_percent, " %"),
        _number(result.deviation_percent, " %"),
        _number(result.repeats),
        _number(point.cores or None),
        ""
        if point.memory_bytes is None
        else f"{format_number(point.memory_bytes / _GIBIBYTE)} GiB",
    )


def format_difference(point: PointReport) -> str:
    """Return `+12.3 %`; empty without a figure on either side."""
    return "" if point.difference_percent is None else format_signed(point.difference_percent)


def format_difference_interval(point: PointReport) -> str:
    """Return `-3 … +8 %`; empty with one repeat."""
    low, high = point.difference_lower_percent, point.difference_upper_percent
    if low is None or high is None:
        return ""
    return f"{format_signed(low).removesuffix(' %')} … {format_signed(high)}"


def best_facts(report: SweepReport) -> dict[str, str]:
    """Return the best point with its figures and its cost; empty while there is none."""
    best = report.status.best
    if best is None:
        return {}
    lines = {
        "Best point": f"{best.values} ({best.name})",
        "Requests/s": _number(best.requests_per_second),
        "P95": _milliseconds(best.p95_milliseconds),
        "Cost": _cost(best.cores, best.memory_bytes),
    }
    return {name: text for name, text in lines.items() if text}


def _cost(cores: float | None, memory_bytes: int | None) -> str:
    parts = [
        f"{format_number(cores)} cores requested" if cores else "",
        f"{format_number(memory_bytes / _GIBIBYTE)} GiB requested" if memory_bytes else "",
    ]
    text = ", ".join(filter(None, parts))
    return f"{text} for Solr and ZooKeeper" if text else ""


def objectives_table(report: SweepReport) -> TextTable:
    """Return a row for each objective of each point."""
    rows = [
        (
            _name(point, part),
            objective.name,
            ", ".join(filter(None, (objective.step, objective.variant))),
            str(objective.word),
            "" if objective.value is None else f"{format_number(objective.value)} {objective.unit}",
            f"{format_number(objective.limit)} {objective.unit}",
        )
        for point in report.points
        for part in point.benchmarks
        for objective in part.objectives
    ]
    head = ("Point", "Objective", "Step", "Result", "Measured", "Limit")
    return TextTable("Objectives", head, rows, 2, _TEXTS).without_empty_columns()


def bottlenecks_table(report: SweepReport) -> TextTable:
    """Return what held each step of each point back, where servers were measured."""
    rows = [
        (
            _name(point, part),
            ", ".join(filter(None, (bottleneck.step, bottleneck.variant))),
            bottleneck.resource,
            bottleneck.server or "",
            bottleneck.message,
            bottleneck.field or "",
        )
        for point in report.points
        for part in point.benchmarks
        for bottleneck in part.bottlenecks
    ]
    head = ("Point", "Step", "Held back by", "Server", "Evidence", "Vary next")
    return TextTable("Bottlenecks", head, rows, 2, frozenset(head)).without_empty_columns()


def objectives_sentence(report: SweepReport) -> str:
    """Return how many points meet all their objectives; empty without objectives."""
    words = [
        [o.word for part in point.benchmarks for o in part.objectives] for point in report.points
    ]
    checked = [each for each in words if each]
    if not checked:
        return ""
    met = [each for each in checked if all(word is ObjectiveConclusion.MET for word in each)]
    in_rounds = " in every round" if any(each.rounds for each in report.points) else ""
    return f"{len(met)} of {len(checked)} points meet all objectives{in_rounds}"


def failures_table(report: SweepReport) -> TextTable:
    """Return what failed: points that ended so, steps that are Invalid, failed requests."""
    rows = [row for point in report.points for row in _failures(point)]
    return TextTable("Failures", ("Point", "Step", "Reason", "Message"), rows, 1, _TEXTS)


def _failures(point: PointReport) -> Iterator[Row]:
    if point.result.state == PointState.FAILED:
        reason = point.result.reason or ""
        yield (point.name, "", reason, point.outcome.removeprefix(f"{reason}: "))
    for part in point.benchmarks:
        yield from _failures_of(_name(point, part), part)


def _failures_of(name: str, part: RoundReport | PointReport) -> Iterator[Row]:
    for verdict in part.verdicts:
        for reason in verdict.reasons:
            yield name, step_label(verdict), reason.reason, reason.message
    for total in part.totals:
        if total.failures:
            text = f"{total.failures:,} of {total.requests:,} requests"
            share = format_share(total.failures, total.requests)
            yield name, total.step, "RequestsFailed", f"{text} failed ({share})"


def rounds_table(report: SweepReport) -> TextTable:
    """Return a row for each round of each point; empty without rounds."""
    rows = [
        (
            point.name,
            str(round_report.round),
            _number(round_report.summary.requests_per_second),
            _milliseconds(round_report.summary.p95_milliseconds),
            _number(round_report.summary.failed_percent, " %"),
            round_report.summary.verdict,
        )
        for point in report.points
        for round_report in point.rounds
    ]
    head = ("Point", "Round", "Requests/s", "P95", "Failed", "Verdict")
    return TextTable("Rounds", head, rows, 2, frozenset({"Verdict"})).without_empty_columns()


def _name(point: PointReport, part: RoundReport | PointReport) -> str:
    return f"{point.name}, round {part.round}" if isinstance(part, RoundReport) else point.name


def _milliseconds(value: float | None) -> str:
    return "" if value is None else format_milliseconds(value)


def sweep_facts(report: SweepReport) -> dict[str, str]:
    """Return how the sweep stands, by name."""
    spec, status, counts = report.spec, report.status, report.status.counts
    states = {
        "succeeded": counts.succeeded,
        "Invalid": counts.invalid,
        "failed": counts.failed,
        "under way": counts.running,
    }
    lines = {
        "Phase": status.phase,
        "Outcome": report.outcome,
        "Points": f"{counts.total}: "
        + (", ".join(f"{number} {name}" for name, number in states.items() if number) or "planned"),
        "Axes": ", ".join(f"{axis.name} ({len(axis.values)} values)" for axis in spec.axes),
        "Design": f"{spec.design}, order {spec.order}, {spec.parallelism} at a time",
        "Objective": str(spec.objective.metric),
        "Baseline": report.baseline.name if report.baseline is not None else "",
        "Started": ""
        if status.start_time is None
        else f"{status.start_time:%Y-%m-%d %H:%M:%S} UTC",
        "Finished": ""
        if status.completion_time is None
        else f"{status.completion_time:%Y-%m-%d %H:%M:%S} UTC",
    }
    return {name: text for name, text in lines.items() if text}


def _number(value: float | None, unit: str = "") -> str:
    return "" if value is None else f"{format_number(value)}{unit}"


def sweep_to_markdown(report: SweepReport) -> str:
    """Return answers first, then the points, then details, as many as fit."""
    sentence = objectives_sentence(report)
    answers = [*report.status.answers, *([sentence] if sentence else [])]
    named = best_facts(report) | sweep_facts(report)
    first = [f"# {report.sweep}"]
    first += ["## Answers", markdown_list(answers)] if answers else []
    first.append(
        "\n".join(f"- **{name}**: {escape_markdown(text)}" for name, text in named.items())
    )
    first += table_section("## Points", points_table(report))
    details = [
        *table_section("## Rounds", rounds_table(report)),
        *table_section("## Failures", failures_table(report)),
        *table_section("## Objectives", objectives_table(report)),
        *table_section("## Bottlenecks", bottlenecks_table(report)),
        *_environment(report),
    ]
    return join_fitting(first, details)


def _environment(report: SweepReport) -> list[str]:
    tables = environment_tables(report.environment, ())
    parts = [part for table in tables for part in table_section(f"### {table.caption}", table)]
    return [f"## Environment of {report.environment_of}", *parts] if parts else []
