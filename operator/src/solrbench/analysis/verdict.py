"""The verdict on each step: whether its results are valid, and what else decided what it shows.

Every reason states what happened, the measured value, the limit of `spec.load.validity`, and the
remedy.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from solrbench.analysis.check_registry import (
    CHECKS,
    CHECKS_OF_REPEATS,
    PLACEMENT_CHECKS,
    REASONS,
    TARGET_CHANGED,
    TOO_FEW_SAMPLES,
)
from solrbench.analysis.checks import (
    EvaluatedRun,
    NotEvaluated,
    Outcome,
    ValidityFinding,
    first_finding,
)
from solrbench.analysis.cold_start import summarise_cold_start
from solrbench.analysis.repeat_checks import check_long_enough, mean_series
from solrbench.analysis.samples import BenchmarkSamples, RunSamples, StepRuns, StepSamples
from solrbench.analysis.sentences import shorten_sentence
from solrbench.analysis.server_metrics import run_telemetry
from solrbench.analysis.step_trends import run_trends
from solrbench.analysis.target_checks import compare_with_first, first_of_repeats
from solrbench.api.v1alpha1 import findings
from solrbench.api.v1alpha1.findings import (
    CHECKS_OF_NUMBERS,
    MAX_REASONS,
    STEP_TOO_SHORT,
    InvalidReason,
    StepVerdict,
)
from solrbench.api.v1alpha1.load import Load
from solrbench.contract.environment import Environment
from solrbench.contract.second_series import SecondSeries
from solrbench.contract.step_document import SERIES, StepRunResult
from solrbench.stats.number_format import count_noun

_BEYOND = 10
"""Samples that a percentile wants beyond it, see `samples_needed`."""

MAX_MESSAGE = 400
"""Characters of a message: the status must take those of every reason of every step."""


def evaluate_document(document: StepRunResult, load: Load) -> EvaluatedRun:
    """Return what is found in one step run, and kept of it: all but the series of its time.

    ValueError or ArithmeticError is raised for times or numbers that no load measures.
    """
    findings = {reason: check.find(document, load) for reason, check in CHECKS.items()}
    # Series are nearly all of a document, which never changes once it is stored but for its pods.
    without_series = {"windows": SecondSeries(), "slow_requests": []}
    requests = [request.model_copy(update=without_series) for request in document.requests]
    left_out: dict[str, Any] = {name: [] for name in SERIES} | {"outliers": [], "telemetry": None}
    samples = RunSamples(document.model_copy(update=left_out | {"requests": requests}))
    samples.decode_times()
    return EvaluatedRun(
        samples,
        findings,
        mean_series(document),
        summarise_cold_start(document),
        run_telemetry(document),
        run_trends(document),
    )


def evaluate_steps(
    samples: BenchmarkSamples, runs: Iterable[EvaluatedRun], environment: Environment | None = None
) -> list[StepVerdict]:
    """Return the verdict on each step and variant that has stored step runs, in their order."""
    spec, evaluated = samples.spec, {run.document.id: run for run in runs}
    further = {reason: check.find(spec, environment) for reason, check in PLACEMENT_CHECKS.items()}
    steps = list(samples.steps())
    firsts = first_of_repeats(each for _, _, found in steps for each in found.documents)
    return [
        evaluate_step(
            [evaluated[each.id] for each in found.documents],
            spec.load,
            samples=found,
            firsts=firsts,
            further=further,
        )
        for _, _, found in steps
    ]


def evaluate_step(
    runs: Sequence[EvaluatedRun],
    load: Load,
    *,
    samples: StepSamples | None = None,
    firsts: Mapping[int, StepRunResult] | None = None,
    further: Mapping[str, Outcome] = MappingProxyType({}),
) -> StepVerdict:
    """Return the verdict on one step and variant from all its repeats, of which there are some."""
    if samples is None:
        samples = StepSamples(run.samples for run in runs)
    step_runs = samples.documents
    found = {
        reason: _worst_repeat((each.document.repeat, each.findings[reason]) for each in runs)
        for reason in CHECKS
    }
    found |= {reason: check.find(runs, load) for reason, check in CHECKS_OF_REPEATS.items()}
    if firsts:
        start_on = load.repeats.start_on
        found[TARGET_CHANGED] = _worst_repeat(
            (each.repeat, compare_with_first(firsts, each, start_on)) for each in step_runs
        )
    found |= further
    found[TOO_FEW_SAMPLES] = _too_few_samples(step_runs, load.validity.percentile)
    found[STEP_TOO_SHORT] = check_long_enough(samples)
    reasons = [
        _invalid_reason(reason, each.text, REASONS[reason].remedy)
        for reason, each in found.items()
        if isinstance(each, ValidityFinding)
    ]
    unchecked = [
        _invalid_reason(reason, each.text)
        for reason, each in found.items()
        if isinstance(each, NotEvaluated)
    ]
    # Those that make it Inconclusive are never among what is left out.
    unchecked.sort(key=lambda each: each.reason not in CHECKS_OF_NUMBERS)
    verdict = findings.INVALID if reasons else findings.VALID
    if not reasons and any(each.reason in CHECKS_OF_NUMBERS for each in unchecked):
        verdict = findings.INCONCLUSIVE
    return StepVerdict(
        step=step_runs[0].step,
        variant=step_runs[0].variant or None,
        verdict=verdict,
        reasons=reasons[:MAX_REASONS],
        unchecked=unchecked[:MAX_REASONS],
    )


def samples_needed(percentile: int) -> int:
    """Return how many samples a percentile needs, so that 10 of them lie beyond it.

    The number of samples beyond the true percentile is binomial. Where at least 10 are expected on
    either side (Diez, Çetinkaya-Rundel, Barr: OpenIntro Statistics, 4th edition, 4.3 and 5.1) it is
    nearly normal, with a deviation of a third of itself.
    """
    return -(-100 * _BEYOND // (100 - percentile))


def _worst_repeat(outcomes: Iterable[tuple[int, Outcome]]) -> Outcome:
    """Return the worst that a check found in all repeats, or else why it could not be made."""
    results = list(outcomes)
    findings = [(repeat, each) for repeat, each in results if isinstance(each, ValidityFinding)]
    gaps = [(repeat, each) for repeat, each in results if isinstance(each, NotEvaluated)]
    if findings:
        repeat, worst = max(findings, key=lambda finding: finding[1].number)
        where = f"{_repeats([repeat])}: " if len(results) > 1 else ""
        others = [each for each, _ in findings if each != repeat]
        also = f". Also in {_repeats(others)}" if others else ""
        return ValidityFinding(worst.number, f"{where}{worst.text}{also}")
    if gaps:
        where = f"{_repeats([repeat for repeat, _ in gaps])}: " if len(results) > 1 else ""
        return NotEvaluated(f"{where}{gaps[0][1].text}")
    return None


def _repeats(repeats: Sequence[int]) -> str:
    word = "repeat" if len(repeats) == 1 else "repeats"
    return f"{word} {', '.join(map(str, repeats))}"


def _too_few_samples(step_runs: StepRuns, percentile: int) -> Outcome:
    """Check all repeats together, as the percentiles in the status are of all their requests."""
    counts = Counter[str]()
    # What broke off has one name for all, which no whole repeat has.
    whole = [document for document in step_runs if not document.broke_off]
    for document in whole or step_runs:
        for result in document.requests:
            counts[result.request] += result.requests
    needed = samples_needed(percentile)
    limit = f"in all repeats (limit {needed}: {_BEYOND} must lie beyond p{percentile})"
    if not counts:
        return ValidityFinding(0, f"0 requests {limit}")
    name, count = min(counts.items(), key=lambda item: item[1])
    if count >= needed:
        return None
    short = sum(each < needed for each in counts.values())
    others = f" (and {count_noun(short - 1, 'other request name')})" if short > 1 else ""
    return ValidityFinding(count, f"{count_noun(count, 'request')} of {name}{others} {limit}")


def _invalid_reason(reason: str, message: str, remedy: str = "") -> InvalidReason:
    """Return a reason in sentences; of a message that is too long the end is cut, no remedy."""
    tail = f" {remedy[0].upper()}{remedy[1:]}." if remedy else ""
    most, sentence = MAX_MESSAGE - len(tail), f"{message[0].upper()}{message[1:]}."
    return InvalidReason(reason=reason, message=shorten_sentence(sentence, most) + tail)


_REASONS = (
    *("WorkerSaturated", "ScheduleLag", "WorkersLost", "PodThrottled"),
    *("PodRestarted", "DocumentsLost"),
)
"""Reasons of the load generator and of pods, and documents that are not where they must be;
failures and drops are what overload looks like."""


def find_interferences(runs: Iterable[EvaluatedRun]) -> dict[str, str]:
    """Return why step runs do not show what the target can do, by id, of those that do not."""
    return {
        run.document.id: text
        for run in runs
        if (text := first_finding(run.findings, _REASONS)) is not None
    }
