from collections.abc import Sequence
from typing import Any

from solrbench.api.v1alpha1.sweep.status import SweepPoint
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.results.size_answers import answer_sizes
from support.resources import small_sweep

_GIB = 2**30


def _plan(count: int) -> SweepPlan:
    values = [1000 * (place + 1) for place in range(count)]
    axis = {"name": "documents", "field": "dataset.generator.documents", "values": values}
    return small_sweep.plan({"spec.axes": [axis]})


def _answers(reads: Sequence[float], **figures: Any) -> list[str]:
    plan = _plan(len(reads))
    given = {"reads_deviation": 0.05, "repeats": 3} | figures
    points = [
        SweepPoint(
            name=planned.point.name,
            values=planned.point.indexes,
            state="Valid",
            index_bytes=_GIB * (1 + planned.point.indexes[0]),
            reads_per_request=reads[planned.point.indexes[0]],
            **given,
        )
        for planned in plan.points
    ]
    return list(answer_sizes(plan, points))


def test_the_size_from_which_on_reads_rise_has_an_interval() -> None:
    (answer,) = _answers([1, 1.02, 0.98, 1, 3, 5, 7.02, 9])
    assert answer.startswith(
        "documents, disk reads per query over the size of the index: bends near 4"
    )
    assert "(95 %: " in answer
    assert "reads for each GiB below" in answer


def test_a_line_says_that_there_is_no_bend() -> None:
    (answer,) = _answers([1.04, 1.97, 3.02, 3.96, 5.01, 6.03])
    assert answer.endswith("no bend from 1 to 6 GiB")


def test_too_few_sizes_say_how_many_are_needed() -> None:
    (answer,) = _answers([1, 1, 3, 5])
    assert "no word, 4 sizes with 3 repeats or more each (6 with 3 are needed)" in answer


def test_two_sizes_say_nothing() -> None:
    assert _answers([1, 5]) == []


def test_points_whose_pods_were_not_read_say_nothing() -> None:
    plan = _plan(6)
    points = [
        SweepPoint(name=each.point.name, values=each.point.indexes, state="Valid")
        for each in plan.points
    ]
    assert list(answer_sizes(plan, points)) == []
