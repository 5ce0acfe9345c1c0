"""Answers of the points of a sweep: which are to be compared, and the sentence of an upgrade."""

from collections.abc import Iterator, Mapping, Sequence

from solrbench.analysis.answers import different_queries
from solrbench.analysis.metrics import MIN_REPEATS, Difference
from solrbench.analysis.sentences import CONCLUSIONS, format_size, name_figure
from solrbench.api.v1alpha1.comparisons import AnswerComparison, Conclusion
from solrbench.api.v1alpha1.findings import INVALID
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.number_format import format_percent
from solrbench.sweep.points import DesignPoint, Values, changed_values

_ANSWERING = ("target.solrCloud.image", "collection.configSet")
"""Fields that decide how queries are analysed and answered, with those below them."""

_MIN_CPU_PERCENT = 1.0
"""Of the CPU time for a query, a smaller difference is not worth a word."""


def answers_by_default(spec: SweepSpec) -> bool:
    """Return whether answers are compared unless the template says otherwise."""
    template, paths = spec.template, [path for axis in spec.axes for path in axis.paths]
    return (
        "answers" not in template.part("comparison")
        and "locustfile" not in template.part("workload")
        and any(path.startswith(_ANSWERING) for path in paths)
    )


def compares_answers(spec: SweepSpec) -> bool:
    """Return whether the benchmarks of a sweep keep their answers."""
    answers = spec.template.part("comparison").get("answers")
    wanted = answers is not None and answers.get("queries", 1) > 0
    return wanted or answers_by_default(spec)


def point_label(values: Values, baseline: Values) -> str:
    """Return what a point is called beside the baseline: the values in which they differ."""
    shown = {each.axis: each.label for each in changed_values(values, baseline) or values}
    return label_of(shown, alone=len(values) == 1)


def label_of(values: Mapping[str, str], *, alone: bool) -> str:
    """Return values by their axes in words; of an axis `alone` without its name."""
    return ", ".join(label if alone else f"{axis} {label}" for axis, label in values.items())


def upgrade_sentences(
    comparisons: Sequence[AnswerComparison],
    points: Mapping[str, DesignPoint],
    measured: Sequence[SweepPoint],
    found: Mapping[str, Difference],
) -> Iterator[str]:
    """Yield for each point what it answers differently, and what a query takes beside it.

    `found` has the difference of each point from the baseline by the metric of the objective.
    """
    baseline = next((each for each in points.values() if each.is_baseline), None)
    if baseline is None:
        return
    by_label = {point_label(each.values, baseline.values): each.name for each in points.values()}
    # Answers are the same however the load went, figures are not.
    stored = {each.name: each for each in measured if each.state != INVALID}
    for compared in comparisons:
        name, base = by_label.get(compared.candidate), by_label.get(compared.baseline)
        if compared.conclusion is None:
            yield f"The answers of {compared.candidate} are not compared: {compared.not_compared}."
            continue
        cpu = _cpu(stored.get(name or ""), stored.get(base or ""))
        queries, usual = different_queries(compared), compared.baseline
        if compared.different:
            text = f"{queries} differently{cpu} than {usual}"
        else:
            text = f"{queries} like {usual}{cpu}"
        difference = found.get(name or "") if {name, base} <= stored.keys() else None
        metric = f"; {_metric(difference)}" if difference is not None else ""
        yield f"{compared.candidate} answers {text}{metric}."


def _cpu(point: SweepPoint | None, baseline: SweepPoint | None) -> str:
    """Return how much more CPU a query takes; empty if that is not known, or hardly anything."""
    after = None if point is None else point.cpu_milliseconds_per_request
    before = None if baseline is None else baseline.cpu_milliseconds_per_request
    if not after or not before:
        return ""
    percent = 100 * (after / before - 1)
    if abs(percent) < _MIN_CPU_PERCENT:
        return ""
    more = "more" if percent > 0 else "less"
    return f" and needs {format_percent(abs(percent))} {more} CPU per query"


def _metric(difference: Difference) -> str:
    figure = name_figure(difference.metric.label, "")
    if difference.conclusion is Conclusion.SAME:
        return f"{figure} shows no relevant difference"
    if difference.conclusion is None:
        return f"{figure} has no conclusion with fewer than {MIN_REPEATS} repeats"
    if difference.conclusion is Conclusion.INCONCLUSIVE:
        return f"{figure} is {CONCLUSIONS[difference.conclusion]}"
    return f"{figure} is {format_size(difference)}"
