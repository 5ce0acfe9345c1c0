"""Words on equal sides whose repeats are measured by the product's load core.

The server delays its responses by about 100 ms and draws another level for each repeat, with a CV
of 1.5 %, to which the machine adds its own. Mean service times are compared. Sides take turns,
A B A B, as the levels are independent. Each pair takes as many rounds as it needs for a word; the
next one goes on with those that follow.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.product import product
from bench.servers.distributions import REPEAT_REQUESTS
from bench.servers.running import python_server
from bench.table import Row
from bench.words import LOOKS, Outcome, decide_adaptively, equal_rows
from solrbench.results.comparison.difference import RepeatFigure
from solrbench.results.comparison.metric import AVERAGE
from solrbench.results.comparison.repeat_figures import read_figures
from solrbench.results.model.step_result import StepRunResult

_USERS = 30
_SECONDS_EACH = 3.0
_EFFECT_PERCENT = 5.0


def equal_pairs(folder: Path, rounds: int) -> list[Row]:
    """Measure rounds of two equal sides and return the words on the pairs that they make."""
    step = {"users": _USERS, "requests": REPEAT_REQUESTS}
    steps = [{"name": f"repeat-{number}"} | step for number in range(2 * rounds)]
    with (
        python_server("delays", folder, ["repeats"]) as server,
        product(server, folder, *steps, warmUp={"requests": REPEAT_REQUESTS}) as running,
    ):
        documents = running.documents(_SECONDS_EACH * len(steps))
    values = [_average(each) for each in documents]
    found = list(_outcomes(values[0::2], values[1::2]))
    return equal_rows(f"{len(found)} equal pairs on a server, CV 1.5 %", found)


def _average(document: StepRunResult) -> float:
    (figure,) = read_figures([document], "query", [95])[AVERAGE]
    return figure.value


def _outcomes(before: Sequence[float], after: Sequence[float]) -> Iterator[Outcome]:
    """Yield the words of pairs, as many as there are rounds for."""
    begin = 0
    while begin + LOOKS.maximum <= min(len(before), len(after)):
        end = begin + LOOKS.maximum
        found = decide_adaptively(
            _figures(before[begin:end]), _figures(after[begin:end]), _EFFECT_PERCENT
        )
        begin += found.repeats
        yield found


def _figures(values: Sequence[float]) -> list[RepeatFigure]:
    """Return the values as figures of targets of their own: levels are drawn for each repeat."""
    return [RepeatFigure(n, f"target-{n}", value) for n, value in enumerate(values, start=1)]
