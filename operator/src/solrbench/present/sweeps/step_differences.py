"""Each step, variant and request name of points, and their indexing, beside the baseline.

The objective alone decides which points are measured again. Here the other figures of the same
rounds are compared by the same difference, within each condition; those of all points together are
one family of details: of the differences that are found, few are false. Without rounds, repeats of
a benchmark that had a target each are compared.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from solrbench.analysis.differences import RepeatValue, conclude_details
from solrbench.analysis.metrics import (
    DOCUMENTS,
    INDEXING,
    P95,
    RATE,
    ComparedMetric,
    ComparisonMetric,
    Difference,
    store_figure,
)
from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.api.v1alpha1.comparisons import FigureComparison
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.contract.step_runs import Reuse
from solrbench.present.result_tables import results_with_totals
from solrbench.sweep.differences import MeasuredCondition, MeasuredPoint, estimate_pair, rule_of
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of


class _Key(NamedTuple):
    """A figure, and where it was measured; of indexing, the names are empty."""

    step: str
    variant: str
    request: str
    metric: ComparisonMetric


_Values = Mapping[_Key, Sequence[RepeatValue]]


def compare_figures(
    spec: SweepSpec,
    conditions: Sequence[MeasuredCondition],
    rounds: Mapping[str, Sequence[Status]],
    found: Mapping[str, Difference],
) -> dict[str, list[FigureComparison]]:
    """Return the figures of each point beside its baseline, by the name of the point.

    `rounds` has, by the name of a point, what its benchmarks said in the rounds of
    `MeasuredPoint.repeats`, without rounds its only one, whose repeats had a target each; points
    without it are left out. `found` are the differences of the figure of the objective, which keeps
    the conclusion that it has in its own family.
    """
    figure = figure_of(spec)
    compared = [
        (point, each)
        for condition in conditions
        if (base := condition.baseline) is not None and base.name in rounds
        for point in condition.others
        if point.name in rounds
        for each in _compare(figure, base, point, rounds, found[point.name])
    ]
    invalid = {
        point.name
        for condition in conditions
        for point in condition.others
        if condition.baseline is not None and not (condition.baseline.is_valid and point.is_valid)
    }
    return _store(compared, spec, invalid)


def compare_variants(
    spec: SweepSpec, conditions: Sequence[MeasuredCondition], rounds: Mapping[str, Sequence[Status]]
) -> dict[str, list[FigureComparison]]:
    """Return the figures of each variant beside the first one, by the name of the point.

    `rounds` is that of `compare_figures`. Of a round, both were measured on one target, so that
    what targets differ by cancels out; those of all points together are one family of details.
    """
    compared = [
        (point, each)
        for condition in conditions
        for point in condition.measured
        if point.in_rounds and point.name in rounds
        for each in _beside_first_variant(point, rounds[point.name])
    ]
    return _store(compared, spec, {point.name for point, _ in compared if not point.is_valid})


def _store(
    compared: Sequence[tuple[MeasuredPoint, ComparedMetric]],
    spec: SweepSpec,
    invalid: Collection[str],
) -> dict[str, list[FigureComparison]]:
    """Return figures by the name of their point; all but the primary ones are one family."""
    details = [each.difference for _, each in compared if not each.is_primary]
    concluded = iter(conclude_details(details, rule_of(spec)))
    figures: dict[str, list[FigureComparison]] = {}
    for point, each in compared:
        known = each if each.is_primary else replace(each, difference=next(concluded))
        stored = store_figure(known, is_invalid=point.name in invalid)
        figures.setdefault(point.name, []).append(stored)
    return figures


def _beside_first_variant(
    point: MeasuredPoint, statuses: Sequence[Status]
) -> Iterator[ComparedMetric]:
    values = _values(point, statuses)
    # The first one of the spec, which each step has, whatever was measured through it.
    first = next((each.variant or "" for each in statuses[-1].totals), "")
    for key in values:
        usual = key._replace(variant=first)
        if usual == key or usual not in values:
            continue
        sides = [replace(point, repeats=tuple(values[each])) for each in (usual, key)]
        difference = estimate_pair(key.metric, *sides)
        yield ComparedMetric(difference, key.step, key.request, key.variant, first)


def _compare(
    figure: ObjectiveFigure,
    baseline: MeasuredPoint,
    point: MeasuredPoint,
    rounds: Mapping[str, Sequence[Status]],
    found: Difference,
) -> Iterator[ComparedMetric]:
    """Yield each figure that both points have; those of the objective have a conclusion."""
    usual = _values(baseline, rounds[baseline.name])
    own = _values(point, rounds[point.name])
    decisive = _key_of(figure, own, rounds[point.name][-1].summary.step)
    # An index that both have is filled once: its time is no second measurement.
    if _share_index(rounds[baseline.name], rounds[point.name]):
        own = {key: values for key, values in own.items() if key.metric != INDEXING}
    for key in [each for each in own if each in usual]:
        sides = [
            replace(side, repeats=tuple(values[key]))
            for side, values in ((baseline, usual), (point, own))
        ]
        difference = found
        if key != decisive:
            difference = replace(estimate_pair(key.metric, *sides), on_target=found.on_target)
        yield ComparedMetric(
            difference, key.step, key.request, key.variant, is_primary=key == decisive
        )


def _share_index(first: Sequence[Status], second: Sequence[Status]) -> bool:
    """Return whether one of two points has, in any round, the index that the other one filled."""
    indexes = [
        {(each.dataset.seconds, each.dataset.commit_seconds) for each in statuses}
        for statuses in (first, second)
    ]
    is_taken_over = any(each.target.reuses == Reuse.INDEX for each in (*first, *second))
    return is_taken_over and not indexes[0].isdisjoint(indexes[1])


def _values(point: MeasuredPoint, statuses: Sequence[Status]) -> _Values:
    """Return the value of each figure in the rounds, or on the targets, that have it."""
    if not point.in_rounds:
        return dict(_repeats(statuses[-1]))
    values: dict[_Key, list[RepeatValue]] = {}
    for repeat, status in zip(point.repeats, statuses, strict=True):
        for key, value in _figures(status):
            values.setdefault(key, []).append(replace(repeat, value=value))
    return values


def _repeats(status: Status) -> Iterator[tuple[_Key, list[RepeatValue]]]:
    """Yield each figure in repeats that had a target each, but indexing.

    A status has no single values: each is the geometric mean, with their deviation as its error.
    """
    transactions = _transactions(status)
    for result in results_with_totals(status):
        p95 = P95, result.p95_milliseconds_mean, result.p95_deviation_percent
        if result.is_open_loop:
            p95 = P95, result.response_p95_milliseconds, result.response_p95_deviation_percent
        rate = RATE, result.requests_per_second_mean, result.requests_per_second_deviation_percent
        for metric, mean, deviation in (
            (p95, rate) if _has_own_rate(result, transactions) else (p95,)
        ):
            if mean and deviation is not None:
                # Variance and mean of the logarithm of log-normal values.
                variance = math.log1p((deviation / 100) ** 2)
                value, error = mean * math.exp(-variance / 2), math.sqrt(variance)
                yield (
                    _Key(result.step, result.variant or "", result.request, metric),
                    [RepeatValue(n, str(n), value, error) for n in range(result.repeats)],
                )


def _has_own_rate(result: StepResult, transactions: Collection[str]) -> bool:
    """Return whether a rate was measured that says more than others: none that was planned.

    That of `check-out.items` is the one of its transaction `check-out`.
    """
    return not result.is_open_loop and result.request.rpartition(".")[0] not in transactions


def _transactions(status: Status) -> set[str]:
    return {each.request for each in status.results if each.is_transaction}


def _figures(status: Status) -> Iterator[tuple[_Key, float]]:
    transactions = _transactions(status)
    for result in results_with_totals(status):
        where = result.step, result.variant or "", result.request
        p95 = result.response_p95_milliseconds or result.p95_milliseconds
        if p95:
            yield _Key(*where, P95), p95
        # Of updates that index, the rate of their documents is the same one.
        documents = result.documents_per_second
        rate = documents or result.requests_per_second
        if rate and _has_own_rate(result, transactions):
            yield _Key(*where, DOCUMENTS if documents else RATE), rate
    if status.dataset.is_valid and status.dataset.seconds:
        yield _Key("", "", "", INDEXING), status.dataset.seconds


def _key_of(figure: ObjectiveFigure, values: _Values, last_step: str) -> _Key | None:
    """Return the figure of the objective; None if it is none of those that are compared."""
    metric = figure.comparison
    step = "" if metric == INDEXING else figure.step or last_step
    known = [
        key
        for key in values
        if (key.metric, key.step) == (metric, step)
        and figure.variant in (None, key.variant)
        and figure.request in (None, key.request)
    ]
    # Without a name it is of the first variant, and of all requests.
    of_variant = [key for key in known if key.variant == known[0].variant]
    return min(of_variant, key=lambda key: key.request != ALL_REQUESTS, default=None)
