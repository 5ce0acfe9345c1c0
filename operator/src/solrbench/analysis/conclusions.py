"""All answers of a benchmark, among them a sentence for each comparison with a conclusion."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from textwrap import shorten

from solrbench.analysis.baseline import primary_comparisons
from solrbench.analysis.bottleneck import answer_bottlenecks
from solrbench.analysis.capacity import answer_capacity, answer_scalability
from solrbench.analysis.fail_fast import answer_early_ends
from solrbench.analysis.metrics import label_of
from solrbench.analysis.objectives import answer_objectives
from solrbench.analysis.response_gaps import answer_response_gaps
from solrbench.analysis.sentences import (
    format_bound,
    format_conclusion,
    format_more_repeats,
    format_signed,
)
from solrbench.analysis.step_trends import answer_trends, trend_difference_sentences
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import Comparison, Conclusion, FigureComparison, Overhead
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.api.v1alpha1.status import MAX_ANSWERS
from solrbench.stats.number_format import format_number

_P95: tuple[str, Callable[[Comparison], Overhead | None]] = "p95", lambda each: each.p95
_PRIMARY: dict[PrimaryMetric, tuple[str, Callable[[Comparison], Overhead | None]]] = {
    PrimaryMetric.AVERAGE: ("average", lambda each: each.average),
    PrimaryMetric.REQUESTS_PER_SECOND: ("requests/s", lambda each: each.requests_per_second),
}
"""How the primary figure of variants is read; of percentiles they have the p95 only."""


@dataclass(frozen=True)
class Answer:
    """What a sentence is made of.

    Attributes:
        subject: the figure and where it was measured
        other: what it is compared with
        overhead: difference, interval and word
        on_target: all repeats of a side were measured on one target
        invalid: what is Invalid; empty if nothing is
    """

    subject: str
    other: str
    overhead: Overhead
    on_target: bool = False
    invalid: str = ""

    @property
    def sentence(self) -> str:
        """Return `p95 of search at 20 users: Worse by 27 % (95 %: 19 to 35) than juniper`."""
        invalid = f"; {self.invalid}" if self.invalid else ""
        return f"{self.subject}: {self._words()}{invalid}"

    def _words(self) -> str:
        overhead = self.overhead
        word = format_conclusion(overhead.word, on_target=self.on_target)
        match overhead.word:
            case Conclusion.SAME:
                return f"{word} as {self.other} ({self._signed()})"
            case Conclusion.UNCLEAR:
                more = format_more_repeats(overhead.more_repeats)
                return f"{word} beside {self.other}{more} ({self._signed()})"
            case _:
                size = format_signed(abs(overhead.percent)).removeprefix("+")
                return f"{word} by {size}{self._interval()} than {self.other}"

    def _signed(self) -> str:
        percent = format_signed(self.overhead.percent)
        return f"{percent}{self._interval(signed=True, bare=True)}"

    def _interval(self, *, signed: bool = False, bare: bool = False) -> str:
        low, high = self.overhead.low_percent, self.overhead.high_percent
        if low is None or high is None:
            return ""
        if not signed and self.overhead.percent < 0:
            low, high = -high, -low
        bounds = (format_bound(each, self.overhead.percent) for each in (low, high))
        text = f"95 %: {' to '.join(bounds)}"
        return f", {text}" if bare else f" ({text})"


def answer_baseline(spec: Spec, status: Status) -> Iterator[str]:
    """Yield what the primary figure of each step says beside the baseline."""
    if status.comparison is not None:
        yield from baseline_sentences(
            status.comparison.figures, status.comparison.baseline, _loads_of(spec)
        )
        yield from trend_difference_sentences(status.comparison.trends, status.comparison.baseline)


def baseline_sentences(
    figures: Sequence[FigureComparison], baseline: str, loads: Mapping[str, str]
) -> Iterator[str]:
    """Yield what each primary figure says that has a word.

    Args:
        figures: of a comparison
        baseline: what it is with
        loads: of the steps, as `loads_as_text`
    """
    for comparison in primary_comparisons(figures):
        if comparison.word is not None:
            variant = f", {comparison.variant}" if comparison.variant else ""
            load = loads.get(comparison.step or "", comparison.step)
            yield Answer(
                f"{label_of(comparison.figure)} of {comparison.request} at {load}{variant}",
                baseline,
                overhead_of(comparison),
                on_target=comparison.on_target,
                invalid="the step is Invalid" if comparison.invalid else "",
            ).sentence


def overhead_of(figure: FigureComparison) -> Overhead:
    """Return difference, interval and word of a figure."""
    return Overhead(
        percent=figure.difference_percent,
        low_percent=figure.low_percent,
        high_percent=figure.high_percent,
        word=figure.word,
        more_repeats=figure.more_repeats,
    )


def answer_variants(spec: Spec, status: Status) -> Iterator[str]:
    """Yield what each step says of each variant beside the first one."""
    label, read = _PRIMARY.get(spec.comparison.primary, _P95)
    loads, known = _loads_of(spec), set()
    for comparison in status.comparisons:
        point = comparison.step, comparison.variant
        overhead = read(comparison)
        # The first request of a point is that of its primary figure.
        if point not in known and overhead is not None and overhead.word is not None:
            yield Answer(
                f"{label} of {comparison.request} at {loads.get(comparison.step, comparison.step)},"
                f" {comparison.variant}",
                comparison.baseline,
                overhead,
                on_target=comparison.on_target,
                invalid=f"Invalid: {', '.join(comparison.invalid)}" if comparison.invalid else "",
            ).sentence
        known.add(point)


def _loads_of(spec: Spec) -> dict[str, str]:
    return loads_as_text(
        {step.name: (step.users, step.requests_per_second) for step in spec.load.steps}
    )


def loads_as_text(loads: Mapping[str, tuple[int | None, float | None]]) -> dict[str, str]:
    """Return `20 users` or `50 requests/s` of each step; with its name if another has the same.

    Args:
        loads: users and requests per second of each step, by name
    """
    texts = {step: _load(*load) for step, load in loads.items()}
    count = Counter(texts.values())
    return {
        step: step if not text else text if count[text] == 1 else f"{text} ({step})"
        for step, text in texts.items()
    }


def _load(users: int | None, rate: float | None) -> str:
    if users is not None:
        return f"{users} user{'s' if users > 1 else ''}"
    return "" if rate is None else f"{format_number(rate)} requests/s"


MAX_CHARACTERS = 300
"""Of one answer; names are limited, so it is hardly ever cut."""

KINDS: tuple[Callable[[Spec, Status], Iterable[str]], ...] = (
    answer_early_ends,
    answer_objectives,
    answer_capacity,
    answer_baseline,
    answer_variants,
    answer_bottlenecks,
    answer_response_gaps,
    answer_trends,
    answer_scalability,
)
"""In the order in which they are shown."""


def collect_answers(spec: Spec, status: Status) -> list[str]:
    """Return what the numbers of a status say, the most important first."""
    answers = chain.from_iterable(kind(spec, status) for kind in KINDS)
    shown = islice(answers, MAX_ANSWERS)
    return [shorten(answer, MAX_CHARACTERS, placeholder=" …") for answer in shown]
