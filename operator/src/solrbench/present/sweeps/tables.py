"""The report of a sweep: facts, and tables of its points and of what their benchmarks met."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import TypeVar

from solrbench.analysis.bottleneck_evidence import pod_of
from solrbench.analysis.metrics import SMALLEST_POINTS, Difference, Scale
from solrbench.analysis.sentences import format_conclusion
from solrbench.api.v1alpha1.findings import Bottleneck, ObjectiveConclusion, overall_conclusion
from solrbench.api.v1alpha1.status import IndexPodStatus
from solrbench.api.v1alpha1.step_details import ColdStart, StepResponseGaps
from solrbench.api.v1alpha1.sweep import BestPoint
from solrbench.present.comparison_tables import difference_columns
from solrbench.present.fact_tables import INDEX_COLUMNS, format_time, index_rows, step_label
from solrbench.present.limit_tables import OBJECTIVE_COLUMNS
from solrbench.present.result_tables import name_resource
from solrbench.present.sweeps.report import PointReport, RoundReport, SweepReport
from solrbench.present.table import (
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
    build_table,
    conclusion,
    named_columns,
)
from solrbench.stats.number_format import (
    count_noun,
    format_bytes,
    format_cores,
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)
from solrbench.sweep.differences import rule_of
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of
from solrbench.sweep.state import PointState

MAX_ROWS = 200
"""Rows of a table on a page: of 500 points a page is to stay below 2 MB. JSON has all."""

_Row = TypeVar("_Row")


def cut_table(
    caption: str,
    columns: Sequence[Column[_Row]],
    rows: Sequence[_Row],
    note: str = "",
    most: int = MAX_ROWS,
) -> Table:
    """Return a table with as many rows as a page has room for."""
    if len(rows) > most:
        note = f"The first {most} of {len(rows):,} rows; -o json has all. {note}".rstrip()
    return build_table(caption, columns, rows[:most], note).without_empty_columns()


def point_table(
    caption: str,
    columns: Sequence[Column[_Row]],
    rows: Iterable[tuple[str, _Row]],
    note: str = "",
    most: int = MAX_ROWS,
) -> Table:
    """Return a row for each item behind the name of its point, as many as a page has room for."""
    return cut_table(caption, named_columns("Point", columns), [*rows], note, most)


_BEST = "Best point"
_POINTS_NOTE = (
    "Figures are those of {}; SD is the standard deviation of the repeats in % of their mean."
    " State is the verdict on the numbers of the point itself."
    " Conclusions and intervals compare all points together with the baseline (docs/method.md)."
)
_ROUNDS_NOTE = (
    " A difference is that of the rounds which both points have; figures are those of all rounds."
)


def points_table(report: SweepReport) -> Table:
    """Return a row for each point, in the order of measuring."""
    figure = figure_of(report.spec)
    columns: list[Column[PointReport]] = [
        NameColumn("Point", lambda point: point.name),
        *map(axis_column, report.axes),
        TextColumn("State", lambda point: conclusion(point.result.state)),
        *point_columns(figure),
        NumberColumn(
            figure.title,
            lambda point: figure.short(None if figure.has_field else point.result.value),
        ),
        NumberColumn("Requests/s", lambda point: point.result.requests_per_second, format_number),
        NumberColumn("P95", lambda point: point.result.p95_milliseconds, format_milliseconds),
        NumberColumn("Failed", lambda point: point.result.failed_percent, format_percent),
        NumberColumn("SD", lambda point: point.result.deviation_percent, format_percent),
        NumberColumn("Repeats", lambda point: point.result.repeats, format_number),
        NumberColumn("Cores", lambda point: point.cores, format_number),
        NumberColumn("Memory", lambda point: point.memory_bytes, format_bytes),
    ]
    of = "the search for the capacity" if report.spec.is_search else "the last step"
    in_rounds = _ROUNDS_NOTE if any(each.rounds for each in report.points) else ""
    note = _POINTS_NOTE.format(of) + in_rounds
    return build_table("Points", columns, report.points, note).without_empty_columns()


def axis_column(axis: str, kind: type[Column[PointReport]] = TextColumn) -> Column[PointReport]:
    """Return the column of the values of an axis."""
    return kind(axis, lambda point: point.values.get(axis))


def point_columns(figure: ObjectiveFigure, without: str = "") -> list[Column[PointReport]]:
    """Return the conclusion on a point, or `without` one, and how far it is from the baseline."""
    difference = partial(_difference, figure)

    def word(point: PointReport) -> str:
        found = difference(point)
        if found is not None and found.conclusion is not None:
            return format_conclusion(found)
        return "baseline" if point.is_compared_with else without

    estimate, interval, concluded = difference_columns(difference, word)
    return [concluded, estimate, interval]


def _difference(figure: ObjectiveFigure, point: PointReport) -> Difference | None:
    if point.difference_percent is None:
        return None
    lower, upper = point.difference_lower_percent, point.difference_upper_percent
    return Difference(
        figure.comparison,
        None,
        None,
        point.difference_percent,
        None if lower is None or upper is None else (lower, upper),
        point.result.conclusion,
        on_target=point.result.on_target or False,
    )


def best_facts(report: SweepReport) -> dict[str, str]:
    """Return the best point of each condition with its figures and cost; empty without any."""
    figure, best, prices = figure_of(report.spec), report.status.best, report.spec.prices
    several, values = len(best) > 1, {point.name: point.values for point in report.points}
    # What is the same in several conditions is one line.
    lines: dict[tuple[str, str], list[BestPoint]] = {}
    for each in best:
        rate, p95, known = each.requests_per_second, each.p95_milliseconds, values.get(each.name)
        settings = [f"{k} {v}" for k, v in (known or {}).items() if k not in report.conditions]
        facts = {_BEST: ", ".join(settings) if several and settings else each.values}
        if not figure.has_field:
            facts[figure.title] = figure.short(each.value)
        if not several:
            facts["Requests/s"] = "" if rate is None else format_number(rate)
            facts["P95"] = "" if p95 is None else format_milliseconds(p95)
        facts["Cost"] = _cost(each.cores, each.memory_bytes)
        if prices is not None and each.price_per_hour is not None:
            facts["Price"] = f"{format_number(each.price_per_hour)} {prices.currency}/h"
        for name, text in facts.items():
            if text:
                lines.setdefault((name, text), []).append(each)
    found = {}
    for (name, text), points in lines.items():
        of_all = len(points) == len(best)
        where = "" if of_all else f" with {' or '.join(each.condition or '' for each in points)}"
        names = f" ({', '.join(each.name for each in points)})" if name == _BEST else ""
        found[f"{name}{where}"] = f"{text}{names}"
    return found


def _cost(cores: float | None, memory_bytes: int | None) -> str:
    parts = [
        f"{format_cores(cores)} requested" if cores else "",
        f"{format_bytes(memory_bytes)} requested" if memory_bytes else "",
    ]
    text = ", ".join(filter(None, parts))
    return f"{text} for Solr and ZooKeeper" if text else ""


def objectives_table(report: SweepReport) -> Table:
    """Return a row for each objective of each point."""
    rows = ((name, each) for name, part in benchmarks_of(report) for each in part.objectives)
    return point_table("Objectives", OBJECTIVE_COLUMNS, rows)


_BOTTLENECK_COLUMNS: Sequence[Column[Bottleneck]] = (
    NameColumn("Step", lambda found: found.step),
    NameColumn("Variant", lambda found: found.variant),
    TextColumn("Held back by", name_resource),
    TextColumn("Server", lambda found: found.server),
    TextColumn("Evidence", lambda found: found.message),
    TextColumn("Change next", lambda found: found.field),
)


def bottlenecks_table(report: SweepReport) -> Table:
    """Return what held each step of each point back, where servers were measured."""
    rows = ((point.name, each) for point in report.points for each in point.bottlenecks)
    return point_table("Bottlenecks", _BOTTLENECK_COLUMNS, rows)


def objectives_sentence(report: SweepReport) -> str:
    """Return how many points meet all their objectives, or miss one; empty without objectives."""
    words = [
        [o.conclusion for part in point.benchmarks.values() for o in part.objectives]
        for point in report.points
    ]
    counts = Counter(overall_conclusion(each) for each in words if each)
    if not counts:
        return ""
    in_rounds = " in every round" if any(each.rounds for each in report.points) else ""
    met, points = counts[ObjectiveConclusion.MET], count_noun(counts.total(), "point")
    text = f"{met} of {points} {'meets' if met == 1 else 'meet'} all objectives{in_rounds}"
    if missed := counts[ObjectiveConclusion.MISSED]:
        text += f"; {missed} missed one"
    if undecided := counts[ObjectiveConclusion.INCONCLUSIVE]:
        text += f"; {undecided} not decided"
    return f"{text}."


_FAILURE_COLUMNS = (
    NameColumn("Point", itemgetter(0)),
    TextColumn("Step", itemgetter(1)),
    TextColumn("Reason", itemgetter(2)),
    TextColumn("Message", itemgetter(3)),
)


def failures_table(report: SweepReport, most: int = MAX_ROWS) -> Table:
    """Return what failed: points that ended so, steps that are Invalid, failed requests."""
    rows = [row for point in report.points for row in _failures(point)]
    return cut_table("Failures", _FAILURE_COLUMNS, rows, most=most)


def _failures(point: PointReport) -> Iterator[tuple[str, str, str, str]]:
    if point.result.state == PointState.FAILED:
        word = point.result.reason or ""
        yield (point.name, "", word, point.outcome.removeprefix(f"{word}: "))
    for name, part in point.benchmarks.items():
        for verdict in part.verdicts:
            for reason in verdict.reasons:
                yield name, step_label(verdict), reason.reason, reason.message
        for total in part.totals:
            if total.failures:
                text = f"{total.failures:,} of {total.requests:,} requests"
                share = format_share(total.failures, total.requests)
                yield name, step_label(total), "RequestsFailed", f"{text} failed ({share})"


_ROUND_COLUMNS: Sequence[Column[RoundReport]] = (
    NameColumn("Round", lambda each: each.round),
    NumberColumn("Requests/s", lambda each: each.summary.requests_per_second, format_number),
    NumberColumn("P95", lambda each: each.summary.p95_milliseconds, format_milliseconds),
    NumberColumn("Failed", lambda each: each.summary.failed_percent, format_percent),
    TextColumn("Verdict", lambda each: conclusion(each.summary.verdict)),
)


def rounds_table(report: SweepReport) -> Table:
    """Return a row for each round of each point; empty without rounds."""
    figure = figure_of(report.spec)
    objective = NumberColumn[RoundReport](
        figure.title, lambda each: figure.short(None if figure.has_field else each.read(figure))
    )
    rows = [(point.name, each) for point in report.points for each in point.rounds]
    columns = named_columns("Point", (_ROUND_COLUMNS[0], objective, *_ROUND_COLUMNS[1:]))
    return cut_table("Rounds", columns, rows)


def benchmarks_of(report: SweepReport) -> Iterator[tuple[str, RoundReport | PointReport]]:
    """Yield what each benchmark of all points said, with its name."""
    return chain.from_iterable(point.benchmarks.items() for point in report.points)


def sweep_facts(report: SweepReport) -> dict[str, str]:
    """Return how the sweep stands, by name."""
    spec, status, counts = report.spec, report.status, report.status.counts
    verdicts = {"Invalid": counts.invalid, "Inconclusive": counts.inconclusive}
    named = ", ".join(f"{number} {name}" for name, number in verdicts.items() if number)
    states = {
        f"succeeded ({named})" if named else "succeeded": counts.succeeded,
        "failed": counts.failed,
        "not measured": counts.not_measured,
        "under way": counts.running,
    }
    order, objective = f"order {spec.order}", figure_of(spec).words.removeprefix("the ")
    if spec.objective.is_sizing:
        order = "from cheap to dear"
        objective = f"least {spec.objective.minimise}, subject to {spec.objective.subject_to}"
    lines = {
        "Phase": status.phase,
        "Outcome": report.outcome,
        "Points": f"{counts.total}: "
        + (", ".join(f"{number} {name}" for name, number in states.items() if number) or "planned"),
        "Axes": ", ".join(f"{axis.name} ({len(axis.values)} values)" for axis in spec.axes),
        "Conditions": ", ".join(report.conditions),
        "Design": f"{spec.design}, {order}, {spec.parallelism} at a time",
        "Objective": objective,
        "Smallest effect": f"{format_number(SMALLEST_POINTS)} percentage point"
        if figure_of(spec).comparison.scale is Scale.POINTS
        else format_percent(rule_of(spec).smallest_effect_percent),
        "Baseline": report.baseline.name if report.baseline is not None else "",
        "Started": format_time(status.start_time),
        "Finished": format_time(status.completion_time),
    }
    return {name: text for name, text in lines.items() if text}


_FEW_ROWS = 50
"""Rows of tables on single benchmarks: of 500 points, a page is to stay below 2 MB."""

_COLD_COLUMNS: Sequence[Column[ColdStart]] = (
    NameColumn("Step", lambda cold: cold.step),
    TextColumn("Variant", lambda cold: cold.variant),
    TextColumn("Sent by", lambda cold: "the warm-up" if cold.in_warm_up else "the step"),
    NumberColumn("First 1000 s", lambda cold: cold.first_thousand_seconds, format_number),
    NumberColumn("Mean", lambda e: e.first_thousand_average_milliseconds, format_milliseconds),
    NumberColumn("Longest", lambda cold: cold.first_thousand_max_milliseconds, format_milliseconds),
    NumberColumn("Steady mean", lambda cold: cold.steady_average_milliseconds, format_milliseconds),
)
_COLD_NOTE = (
    "The first thousand requests that a target got, and the mean of the step once it was steady."
    " The report of the benchmark has the curve."
)


def cold_starts_table(report: SweepReport) -> Table:
    """Return how each benchmark began, where its first thousand requests are known."""
    every = ((name, part.cold_start) for name, part in benchmarks_of(report))
    rows = ((name, cold) for name, cold in every if cold is not None)
    return point_table("Cold start of each point", _COLD_COLUMNS, rows, _COLD_NOTE, _FEW_ROWS)


def index_pods_of_points(report: SweepReport) -> Table:
    """Return documents, size and time of each index pod, and of its slowest files.

    An index that points share is in the rows of one of them.
    """
    filled: list[tuple[str, list[IndexPodStatus]]] = []
    for name, part in benchmarks_of(report):
        if all(part.index_pods != pods for _, pods in filled):
            filled.append((name, part.index_pods))
    rows = ((name, row) for name, pods in filled for row in index_rows(pods))
    caption = "Indexing of each point by pod and file"
    return point_table(caption, INDEX_COLUMNS, rows, most=_FEW_ROWS)


def _user(user: int | None, node: str | None) -> str:
    return ", ".join(filter(None, ["" if user is None else f"user {user}", pod_of(node or "")]))


_WAIT_COLUMNS: Sequence[Column[StepResponseGaps]] = (
    NameColumn("Step", lambda gap: gap.step),
    TextColumn("Variant", lambda gap: gap.variant),
    NumberColumn("Longest wait", lambda gap: gap.longest_milliseconds, format_milliseconds),
    NumberColumn("Repeat", lambda gap: gap.longest_repeat),
    NumberColumn("From second", lambda gap: gap.longest_second, format_number),
    TextColumn("Of", lambda gap: _user(gap.longest_user, gap.longest_node)),
    NumberColumn("Fewest requests", lambda gap: gap.least_user_requests),
    NumberColumn("Median", lambda gap: gap.median_user_requests),
    NumberColumn("Most", lambda gap: gap.most_user_requests),
    TextColumn("User with fewest", lambda gap: _user(gap.least_user, gap.least_user_node)),
)
_WAIT_NOTE = (
    "The longest time that a user waited for a response; with a planned rate, that none came from a"
    " node although requests waited. Requests are those of a single user."
)


def waits_table(report: SweepReport) -> Table:
    """Return who waited longest in each step, and which user got the fewest responses."""
    rows = ((name, gap) for name, part in benchmarks_of(report) for gap in part.response_gaps)
    return point_table("Longest waits of each point", _WAIT_COLUMNS, rows, _WAIT_NOTE, _FEW_ROWS)
