"""All answers of a benchmark, among them a sentence for each comparison with a conclusion."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice

from solrbench.analysis.answers import answer_sentences
from solrbench.analysis.bottleneck import answer_indexing, describe_bottleneck
from solrbench.analysis.capacity import answer_capacity
from solrbench.analysis.fail_fast import answer_early_ends
from solrbench.analysis.metrics import DOCUMENTS, RATE, Difference, read_figure, read_overheads
from solrbench.analysis.objectives import answer_objectives
from solrbench.analysis.repeat_checks import answer_targets
from solrbench.analysis.response_gaps import answer_response_gaps
from solrbench.analysis.samples import BenchmarkSamples
from solrbench.analysis.scalability import answer_scalability
from solrbench.analysis.sentences import (
    DRIFT_NOTE,
    difference_sentence,
    name_figure,
    shorten_sentence,
)
from solrbench.analysis.step_trends import answer_trends, trend_difference_sentences
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import Conclusion, FigureComparison
from solrbench.api.v1alpha1.load import mean_rate
from solrbench.api.v1alpha1.status import MAX_ANSWERS
from solrbench.stats.number_format import count_noun, format_number


def answer_baseline(spec: Spec, status: Status) -> Iterator[str]:
    """Yield what the primary metric of each step says beside the baseline."""
    found = status.comparison
    if found is not None:
        loads, planned = _loads_of(spec), _planned_of(spec)
        yield from baseline_sentences(found.figures, found.baseline, loads, planned)
        if found.drift_unknown:
            yield DRIFT_NOTE
        yield from trend_difference_sentences(found.trends, found.baseline)


def baseline_sentences(
    figures: Iterable[FigureComparison],
    baseline: str,
    loads: Mapping[str, str],
    planned: Collection[str] = (),
) -> Iterator[str]:
    """Yield what each primary metric says that has a conclusion; `loads` as `loads_as_text`.

    `planned` are the steps with a planned rate.
    """
    for stored in figures:
        if stored.primary and stored.conclusion is not None:
            difference = read_figure(stored)
            figure = name_figure(difference.metric.label, stored.request or "")
            place = _place(loads.get(stored.step or "", stored.step), stored.variant)
            invalid = _INVALID.format("The step is") if stored.invalid else ""
            text = difference_sentence(f"{place}{figure}", difference, f"in {baseline}")
            yield text + _planned(difference, stored.step, planned) + invalid


def answer_variants(spec: Spec, status: Status) -> Iterator[str]:
    """Yield what each step says of each variant beside the first one."""
    loads, planned, known = _loads_of(spec), _planned_of(spec), set()
    for comparison in status.comparisons:
        point = comparison.step, comparison.variant
        by_name = {each.metric.name: each for each in read_overheads(comparison)}
        difference = by_name.get(comparison.figure)
        # The first request of a point is that of its primary metric.
        if point not in known and difference is not None and difference.conclusion is not None:
            figure = name_figure(difference.metric.label, comparison.request)
            place = _place(loads.get(comparison.step, comparison.step), comparison.variant)
            sides = " and ".join(comparison.invalid)
            invalid = _INVALID.format(f"{sides}:") if sides else ""
            than = f"through {comparison.baseline}"
            text = difference_sentence(f"{place}{figure}", difference, than)
            yield text + _planned(difference, comparison.step, planned) + invalid
        known.add(point)


_INVALID = " {} Invalid, so do not rely on this comparison."


def _planned(difference: Difference, step: str | None, planned: Collection[str]) -> str:
    """Return that a rate which is met on both sides says nothing, with the remedy."""
    is_met = difference.metric in (RATE, DOCUMENTS) and difference.conclusion is Conclusion.SAME
    text = " It is planned, so compare times instead: set spec.comparison.primary to P95."
    return text if is_met and step in planned else ""


def _planned_of(spec: Spec) -> set[str]:
    return {step.name for step in spec.load.steps if step.requests_per_second is not None}


def _place(load: str | None, variant: str | None) -> str:
    """Return `At 20 users, ` or `At 20 users through proxy, `; empty for what is of the index."""
    at = f"At {load}{f' through {variant}' if variant else ''}"
    return f"{at}, " if load else ""


def _loads_of(spec: Spec) -> dict[str, str]:
    # With its name: users who send updates are no users who search.
    loads = {
        step.name: (None, None) if step.indexing else (step.users, mean_rate(step))
        for step in spec.load.steps
    }
    return loads_as_text(loads)


def loads_as_text(loads: Mapping[str, tuple[int | None, float | None]]) -> dict[str, str]:
    """Return `20 users` or `50 requests/s` of each step; with its name if another has the same.

    `loads` has users and requests per second of each step, by its name.
    """
    texts = {step: _load(*load) for step, load in loads.items()}
    count = Counter(texts.values())
    return {
        step: step if not text else text if count[text] == 1 else f"{text} ({step})"
        for step, text in texts.items()
    }


def _load(users: int | None, rate: float | None) -> str:
    if users is not None:
        return count_noun(users, "user")
    return "" if rate is None else f"{format_number(rate)} requests/s"


MAX_CHARACTERS = 600
"""Of one answer; names are limited, so it is hardly ever cut."""


def collect_answers(
    spec: Spec, status: Status, samples: BenchmarkSamples | None = None
) -> list[str]:
    """Return what a status says, and the `samples` of targets, the most important first."""
    answers = chain(
        () if samples is None else answer_targets(samples),
        answer_early_ends(status),
        answer_objectives(spec, status),
        answer_capacity(status),
        answer_sentences(status.answer_comparisons),
        answer_baseline(spec, status),
        answer_variants(spec, status),
        answer_trends(status),
        map(describe_bottleneck, status.bottlenecks),
        answer_indexing(status),
        answer_response_gaps(status),
        answer_scalability(status),
    )
    return [shorten_sentence(each, MAX_CHARACTERS) for each in islice(answers, MAX_ANSWERS)]
