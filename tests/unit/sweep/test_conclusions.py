import re
import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.sweep.plan import make_plan
from solrbench.sweep.points import DesignPoint
from support.resources.small_resource import Changes, create
from support.resources.small_sweep import CACHES, HEAP, parse_sweep, users_axis
from support.results import measured_points
from support.results.compared_figures import spread
from support.results.measured_points import repeated


def answer(
    figures: Mapping[str, float],
    changes: Changes | None = None,
    deviation: float | None = 1.0,
    rounds: int | None = None,
    template: Changes | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Return words and answers of a sweep whose points have these p95 by their values."""

    def measure(point: DesignPoint) -> dict[str, Any]:
        figure = figures.get(point.text)
        found: dict[str, Any] = {"p95_milliseconds": figure, "repeats": 1, "rounds": rounds}
        if deviation is not None and figure is not None:
            found |= repeated(spread(figure, 5, deviation))
            found["repeat_rounds"] = None if rounds is None else [1, 2, 3, 4, 5]
        return found

    words, sentences, _ = measured_points.answer(parse_sweep(changes, template), measure)
    return words, sentences


def only(sentences: Sequence[str], begin: str) -> str:
    """Return the only sentence that begins so."""
    (found,) = (each for each in sentences if each.startswith(begin))
    return found


FIGURES = {
    "heap 512Mi, nodes 1/1": 100.0,
    "heap 1Gi, nodes 1/1": 100.5,
    "heap 2Gi, nodes 1/1": 70.0,
    "heap 512Mi, nodes 2/2": 150.0,
}


def test_an_existing_target_requests_nothing_that_a_sentence_could_name() -> None:
    figures = {"caches default": 100.0, "caches small": 70.0}
    _, sentences = answer(figures, {"spec.axes": [CACHES]}, template=create())
    assert "Best: caches small, p95 70 ms." in sentences
    assert not any("requested" in each for each in sentences)


def test_each_axis_has_a_sentence_with_the_word_of_each_value() -> None:
    words, (heap, nodes, best, beyond, scope) = answer(FIGURES)
    assert words == {
        "heap 1Gi, nodes 1/1": Conclusion.SAME,
        "heap 2Gi, nodes 1/1": Conclusion.BETTER,
        "heap 512Mi, nodes 2/2": Conclusion.WORSE,
    }
    assert heap.startswith(
        "heap 1Gi: the p95 is the same as with 512Mi (+0.5 %, 95 % confidence interval "
    )
    assert "heap 2Gi: the p95 is 30 % lower than with 512Mi (95 % confidence interval " in heap
    assert nodes.startswith("nodes 2/2: the p95 is 50 % higher than with 1/1 (")
    assert best == "Best: heap 2Gi, p95 70 ms (no CPU and 2.81 GiB requested)."
    assert beyond == (
        "Next: measure heap beyond 2Gi. Its largest value was the best one (30 % lower than the"
        " baseline)."
    )
    # Values that are added later are the last ones.
    changes: Changes = {"spec.axes": [HEAP | {"values": ["512Mi", "2Gi", "1Gi"]}]}
    for heap_2gi, heap_1gi, count in ((70.0, 100.0, 1), (100.0, 70.0, 0)):
        values = {"heap 512Mi": 100.0, "heap 2Gi": heap_2gi, "heap 1Gi": heap_1gi}
        _, sentences = answer(values, changes)
        assert sum(each.startswith("Next: measure heap beyond") for each in sentences) == count
    assert scope.startswith("Conclusions on one target are about these targets")


def test_size_of_a_relevant_difference_is_said_where_one_is_not_and_it_is_not_usual() -> None:
    said = "A difference is relevant from 20 % on (comparison.smallestEffectPercent)."
    worse = {"heap 512Mi, nodes 1/1": 100.0, "heap 512Mi, nodes 2/2": 150.0}
    for effect, figures, is_said in ((20, FIGURES, True), (5, FIGURES, False), (20, worse, False)):
        template: Changes = {"spec.comparison": {"smallestEffectPercent": effect}}
        assert (said in answer(figures, template=template)[1]) is is_said


def test_repeats_on_fresh_targets_make_words_about_topologies() -> None:
    sweep = parse_sweep({}, {"spec.load.repeats": {"count": 5, "startOn": "FreshTarget"}})
    _, sentences, _ = measured_points.answer(sweep, lambda _: repeated(spread(10, 5, 1)))
    assert sentences
    assert not any("one target" in each for each in sentences)


def test_existing_targets_have_no_remedy_for_conclusions_on_one_target() -> None:
    values = [{"name": each, "value": [f"http://{each}:8983/solr"]} for each in ("old", "new")]
    axis = {"name": "solr", "field": "target.existing.urls", "values": values}
    figures = {"solr old": 100.0, "solr new": 150.0}
    _, sentences = answer(figures, {"spec.axes": [axis]}, template=create())
    assert sentences[0].endswith(": worse, measured on one target only.")
    assert sentences[-1].endswith("identical ones may differ more than repeats.")


def test_what_shares_a_target_is_compared_without_a_suffix() -> None:
    figures = {"users 1": 100.0, "users 2": 150.0}
    assert answer(figures, {"spec.axes": [users_axis(2)]})[1][0].endswith(": worse.")
    # At the same time, each has a target of its own.
    apart: Changes = {"spec.axes": [users_axis(2)], "spec.parallelism": 2}
    assert answer(figures, apart)[1][0].endswith(": worse, measured on one target only.")


def test_one_repeat_has_no_word() -> None:
    words, sentences = answer(FIGURES, deviation=None)
    assert set(words.values()) == {None}
    assert sentences[0] == (
        "heap 1Gi: the p95 is 0.5 % higher than with 512Mi; not compared: needs 3 or more repeats."
        " heap 2Gi: the p95 is 30 % lower than with 512Mi; not compared: needs 3 or more repeats."
    )
    assert (
        "Fastest, which may be chance with fewer than 3 repeats: heap 2Gi, p95 70 ms (no"
        " CPU and 2.81 GiB requested)."
    ) in sentences


@pytest.mark.parametrize(("deviation", "repeats"), [(1.0, 3), (3.0, 5), (5.0, 10)])
def test_the_cheapest_of_equal_points_is_best(deviation: float, repeats: int) -> None:
    """By the best mean, it was named in 4 to 32 % of sweeps."""
    sweep, draw, right = parse_sweep(), Random(1), 0
    for _ in range(50):
        _, _, best = measured_points.answer(
            sweep, lambda _: repeated([draw.gauss(100, deviation) for _ in range(repeats)])
        )
        right += best[0].values == "heap 512Mi, nodes 1/1"
    assert right >= 49


def test_the_cheapest_is_that_of_the_prices_where_there_are_some() -> None:
    field, figures = "target.solrCloud.resources", {"size small": 100.0, "size cheap": 100.0}
    given = {"small": {"cpu": "4", "memory": "2Gi"}, "cheap": {"cpu": "1", "memory": "4Gi"}}
    values = [{"name": name, "value": {"requests": each}} for name, each in given.items()]
    changes: Changes = {"spec.axes": [{"name": "size", "field": field, "values": values}]}
    prices = {"currency": "EUR", "perCoreHour": 0.04, "perMemoryGibibyteHour": 0.005}
    for more, best in (({}, "the baseline"), ({"spec.prices": prices}, "size cheap")):
        _, sentences = answer(figures, changes | more)
        assert any(each.startswith(f"Best: {best}, ") for each in sentences)


def test_noise_makes_words_inconclusive_and_says_what_to_do() -> None:
    words, sentences = answer(FIGURES | {"heap 2Gi, nodes 1/1": 95.0}, deviation=10.0)
    assert words["heap 2Gi, nodes 1/1"] is Conclusion.INCONCLUSIVE
    (inconclusive,) = (
        each for each in sentences if "are inconclusive against the baseline: " in each
    )
    assert "heap 1Gi needs more than 50 more repeats" in inconclusive
    assert inconclusive.endswith(" Repeat the baseline the same number of times.")
    assert only(sentences, "Best: ") == (
        "Best: the baseline, p95 100 ms (no CPU and 960 MiB requested). It is the cheapest of 3"
        " points without a shown difference from the fastest, heap 2Gi, p95 95 ms (no CPU and 2.81"
        " GiB requested)."
    )
    assert only(sentences, "Inconclusive against the fastest: heap 1Gi (")


UNTIL: Changes = {
    "spec.load.repeats": {"until": "Decided"},
    "spec.comparison": {"baseline": {"benchmark": {"name": "other"}}},
}


@pytest.mark.parametrize(
    ("template", "remedy"),
    [
        ({}, "Set order to Random."),
        (UNTIL, "Set spec.repeats in place of load.repeats.until of the template."),
    ],
)
def test_points_of_a_machine_that_changed_need_no_number_of_repeats(
    template: Changes, remedy: str
) -> None:
    def rising(point: DesignPoint) -> dict[str, Any]:
        begin = 98.0 if point.text == "heap 1Gi, nodes 1/1" else 100.0
        return repeated([begin + 4 * each for each in range(8)])

    _, sentences, _ = measured_points.answer(parse_sweep({}, template), rising)
    advice = "measure both in turn, as the machine changed meanwhile"
    assert sentences[0].endswith(f": inconclusive. {advice.capitalize()}.")
    assert any(f"heap 2Gi ({advice})" in each for each in sentences)
    assert any(each.endswith(f"nodes 2/2: {advice}. {remedy}") for each in sentences)


def test_what_is_better_alone_is_to_be_measured_together() -> None:
    figures = FIGURES | {"heap 512Mi, nodes 2/2": 80.0}
    _, sentences = answer(figures)
    assert (
        "Next: measure heap 2Gi with nodes 2/2. Each alone is better; the combination was not"
        " measured."
    ) in sentences
    together = {"heap 2Gi, nodes 2/2": 50.0, "heap 1Gi, nodes 2/2": 80.0}
    _, crossed = answer(figures | together, {"spec.design": "Full"})
    assert not any(each.startswith("Next: measure") and " with " in each for each in crossed)


def test_an_axis_that_changes_nothing_is_left_and_equal_points_are_named() -> None:
    same = dict.fromkeys(FIGURES, 100.0)
    _, sentences = answer(same | {"heap 2Gi, nodes 1/1": 99.9})
    assert (
        "Of the Valid points, no value of heap, nodes makes a relevant difference. Choose the"
        " cheapest of theirs."
    ) in sentences
    best = only(sentences, "Best: ")
    assert best.startswith("Best: the baseline, p95 100 ms (no CPU and 960 MiB requested).")
    equal = only(sentences, "No relevant difference from the fastest: ")
    assert "heap 1Gi (no CPU and 1.56 GiB requested)" in equal


def test_rounds_are_counted_with_what_was_left_out() -> None:
    rounds = {"until": "Decided", "min": 2, "max": 6}
    _, sentences = answer(FIGURES, {"spec.repeats": rounds}, rounds=6)
    said = only(sentences, "6 rounds were run of each point, 24 benchmarks of at most 24. Excl")
    assert "1 of 6 of heap 512Mi, nodes 1/1" in said
    few: Changes = {"spec.repeats": rounds | {"max": 4}}
    for done, count in (
        (1, "1 round was run of each point, 4 benchmarks of at most 16."),
        (6, "6 rounds were run of each point, 24 benchmarks of at most 24."),
    ):
        assert any(each.startswith(count) for each in answer(FIGURES, few, rounds=done)[1])


def test_too_few_valid_repeats_have_the_remedy_of_their_design() -> None:
    few = "Points cannot be compared with fewer than 3 valid repeats. "
    _, once = answer(FIGURES, deviation=None)
    assert f"{few}Set spec.repeats to {{until: Decided}}, or load.repeats.count" in " ".join(once)
    rounds = {"until": "Decided", "min": 2, "max": 6}
    _, invalid = answer(FIGURES, {"spec.repeats": rounds}, deviation=None, rounds=6)
    assert f"{few}Look for the reasons of rounds that are Invalid" in " ".join(invalid)
    _, early = answer(FIGURES, {"spec.repeats": rounds}, deviation=None, rounds=2)
    assert few not in " ".join(early)


def test_a_point_that_shares_no_round_with_the_best_one_is_named_as_not_compared() -> None:
    ran = {"512Mi": (100.0, range(1, 11)), "1Gi": (70.0, range(1, 6)), "2Gi": (70.5, range(6, 11))}

    def measure(point: DesignPoint) -> dict[str, Any]:
        p95, rounds = ran[point.text.removeprefix("heap ")]
        return repeated(spread(p95, len(rounds), 1.0)) | {"repeat_rounds": [*rounds]}

    _, sentences, best = measured_points.answer(parse_sweep({"spec.axes": [HEAP]}), measure)
    assert [each.values for each in best] == ["heap 1Gi"]
    assert (
        "Not compared with the best (fewer than 3 repeats, or rounds in common): heap 2Gi."
    ) in sentences


CROSSED = FIGURES | {"heap 1Gi, nodes 2/2": 150.75, "heap 2Gi, nodes 2/2": 220.0}


def test_an_invalid_baseline_is_named_and_nothing_is_advised_by_it() -> None:
    def measure(point: DesignPoint) -> dict[str, Any]:
        state = "Invalid" if point.is_baseline else "Valid"
        return repeated(spread(CROSSED[point.text], 5, 1.0)) | {"state": state}

    _, sentences, _ = measured_points.answer(parse_sweep({"spec.design": "Full"}), measure)
    assert " lower than with 512Mi (Invalid) (95 % " in sentences[0]
    assert not any(each.startswith(("Interaction", "Next")) for each in sentences)


def test_axes_that_act_together_are_named() -> None:
    _, sentences = answer(CROSSED, {"spec.design": "Full"})
    pair = only(sentences, "Interaction of heap and nodes: ")
    # 220 beside 150 * 70 / 100
    assert (
        "with heap 2Gi and nodes 2/2, the p95 is 110 % higher than their separate effects" in pair
    )


def test_axes_that_act_alone_are_said_to() -> None:
    alone = CROSSED | {"heap 2Gi, nodes 2/2": 105.0}
    _, sentences = answer(alone, {"spec.design": "Full"}, deviation=0.3)
    assert "no relevant difference" in only(sentences, "Interaction of heap and nodes: ")


def test_without_a_baseline_the_best_of_the_others_is_named() -> None:
    others = {key: value for key, value in FIGURES.items() if "512Mi, nodes 1/1" not in key}
    words, sentences = answer(others)
    assert words == {}
    assert sentences[0].startswith("Best: heap 2Gi, p95 70 ms")
    compared = "Nothing is compared, as the baseline has not been measured, or has failed."
    assert only(sentences, "Nothing is compared") == compared


@pytest.mark.parametrize("values", range(5, 9))
def test_a_long_answer_is_not_cut_within_an_interval(values: int) -> None:
    label = "a-name-that-fills-the-forty-letters-all-"
    axis = {
        "name": "a-rather-long-name-of-an-axis",
        "field": "target.solrCloud.heap",
        "values": [{"name": f"{label}{n}"[-40:], "value": f"{n}Gi"} for n in range(1, values + 1)],
    }
    plan = make_plan(parse_sweep({"spec.axes": [axis]}))
    figures = {each.point.text: 100.0 + 7 * n for n, each in enumerate(plan.points)}
    _, (sentence, *_) = answer(figures, {"spec.axes": [axis]})
    assert len(sentence) <= 600
    assert sentence.count("(") == sentence.count(")")


@pytest.mark.slow
def test_many_values_are_counted_and_answered_quickly() -> None:
    changes: Changes = {"spec.axes": [users_axis(500)], "spec.maxPoints": 500}
    figures = {f"users {n}": 100.0 + n % 7 for n in range(1, 501)}
    begin = time.process_time()
    words, (sentence, *_) = answer(figures, changes)
    assert time.process_time() - begin < 10
    assert len(words) == 499
    assert " The largest differences: " in sentence
    assert len(sentence) <= 600


def answer_sizes(
    reads: Sequence[float | None], repeats: int = 3, *others: dict[str, Any]
) -> list[str]:
    """Return what is said of indexes of 1 GiB, 2 GiB and so on, by the MiB that a query reads."""
    values = [1000 * (place + 1) for place in range(len(reads))]
    axis = {"name": "documents", "field": "dataset.generator.documents", "values": values}

    def measure(point: DesignPoint) -> dict[str, Any]:
        place, *_ = point.indexes
        read = reads[place]
        size: dict[str, Any] = {"index_bytes": 2**30 * (place + 1), "repeats": repeats}
        if read is not None:
            size |= {"read_bytes_per_request": 2**20 * read}
        return size | {"read_bytes_deviation": 2**20 * 0.05}

    sweep = parse_sweep({"spec.axes": [axis, *others], "spec.design": "Full"})
    return measured_points.answer(sweep, measure).sentences


def test_the_size_from_which_on_reads_rise_has_an_interval() -> None:
    (answer,) = answer_sizes([1, 1.02, 0.98, 1, 3, 5, 7.02, 9])
    assert answer.startswith(
        "documents: disk reads per query have a breakpoint at an index size of 4"
    )
    assert "(95 % confidence interval " in answer
    assert re.search(r": [\d.]+ MiB per GiB of index above, -?[\d.]+ [MK]?i?B below\.$", answer)


def test_a_line_says_that_there_is_no_bend() -> None:
    (answer,) = answer_sizes([1.04, 1.97, 3.02, 3.96, 5.01, 6.03])
    assert answer.endswith("show no breakpoint from an index size of 1 to 6 GiB.")
    of_heaps = answer_sizes([1.04, 1.97, 3.02, 3.96, 5.01, 6.03], 3, HEAP)
    named = [f"documents with heap {each}: disk reads" for each in ("512Mi", "1Gi", "2Gi")]
    assert [each[: len(name)] for each, name in zip(of_heaps, named, strict=True)] == named


def test_too_few_sizes_say_how_many_are_needed() -> None:
    (answer,) = answer_sizes([1, 1, 3, 5])
    assert "is not known from 4 sizes with 3 repeats or more each (6 with 3 are needed)" in answer
    assert "from 4 sizes with 1 repeat or more each" in answer_sizes([1, 1, 3, 5], repeats=1)[0]


def test_two_sizes_and_points_whose_pods_were_not_read_say_nothing() -> None:
    assert answer_sizes([1, 5]) == []
    assert answer_sizes([None] * 6) == []
