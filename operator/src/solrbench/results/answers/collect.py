"""All answers of a benchmark."""

from collections.abc import Callable, Iterable
from itertools import chain, islice
from textwrap import shorten

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.status.status import MAX_ANSWERS
from solrbench.results.answers.bottleneck import answer_bottlenecks
from solrbench.results.answers.comparison import answer_baseline, answer_variants
from solrbench.results.answers.early_end import answer_early_ends
from solrbench.results.answers.response_gaps import answer_response_gaps
from solrbench.results.answers.trends import answer_trends
from solrbench.results.capacity.answers import answer_capacity, answer_scalability
from solrbench.results.objectives.answers import answer_objectives

MOST_CHARACTERS = 300
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
    return [shorten(each, MOST_CHARACTERS, placeholder=" …") for each in shown]
