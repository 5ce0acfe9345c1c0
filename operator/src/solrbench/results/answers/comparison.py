"""What comparisons say, one sentence for each primary figure that has a word."""

from collections.abc import Iterator
from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.status.results import Overhead
from solrbench.api.v1alpha1.status.word import Word
from solrbench.results.stats.number_format import format_number
from solrbench.results.text.comparison_text import format_signed
from solrbench.results.text.word_text import format_more_repeats, format_word


@dataclass(frozen=True)
class Answer:
    """What a sentence is made of.

    Attributes:
        subject: the figure and where it was measured
        other: what it is compared with
        overhead: difference, interval and word
        unit: of the difference, `%` or `points`
        on_target: all repeats of a side were measured on one target
        invalid: sides whose step is Invalid

    """

    subject: str
    other: str
    overhead: Overhead
    unit: str = "%"
    on_target: bool = False
    invalid: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return `p95 of search at 20 users: Worse by 27 % (95 %: 19 to 35) than juniper`."""
        invalid = f"; Invalid: {', '.join(self.invalid)}" if self.invalid else ""
        return f"{self.subject}: {self._words()}{invalid}"

    def _words(self) -> str:
        overhead = self.overhead
        word = format_word(overhead.word, on_target=self.on_target)
        match overhead.word:
            case Word.SAME:
                return f"{word} as {self.other} ({self._signed()})"
            case Word.UNCLEAR:
                more = format_more_repeats(overhead.more_repeats)
                return f"{word} beside {self.other}{more} ({self._signed()})"
            case _:
                size = f"{format_number(abs(overhead.percent))} {self.unit}"
                return f"{word} by {size}{self._interval()} than {self.other}"

    def _signed(self) -> str:
        percent = format_signed(self.overhead.percent).replace("%", self.unit)
        return f"{percent}{self._interval(signed=True, bare=True)}"

    def _interval(self, *, signed: bool = False, bare: bool = False) -> str:
        low, high = self.overhead.low_percent, self.overhead.high_percent
        if low is None or high is None:
            return ""
        if not signed and self.overhead.percent < 0:
            low, high = -high, -low
        text = f"95 %: {format_number(low)} to {format_number(high)}"
        return f", {text}" if bare else f" ({text})"


def answer_variants(spec: Spec, status: Status) -> Iterator[str]:
    """Yield what each step says of each variant beside the first one."""
    known = set()
    for each in status.comparisons:
        point = each.step, each.variant
        # The first request of a point is that of its primary figure.
        if point not in known and each.p95 is not None and each.p95.word is not None:
            yield Answer(
                f"p95 of {each.request} at {load_of(spec, each.step)}, {each.variant}",
                each.baseline,
                each.p95,
                on_target=each.on_target,
                invalid=tuple(each.invalid),
            ).sentence
        known.add(point)


def load_of(spec: Spec, step: str) -> str:
    """Return `20 users` or `50 requests/s`, and the step's name if another has the same load."""
    loads = {each.name: _load(each.users, each.requests_per_second) for each in spec.load.steps}
    own = loads.get(step, "")
    is_only = list(loads.values()).count(own) == 1
    return own if own and is_only else f"{own} ({step})" if own else step


def _load(users: int | None, rate: float | None) -> str:
    if users is not None:
        return f"{users} user{'s' if users > 1 else ''}"
    return "" if rate is None else f"{format_number(rate)} requests/s"
