"""Answers in the status: beside a baseline, between variants, and what the load is asked for."""

from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.answers import MAX_ANSWER_BYTES, QueryAnswer, StoredAnswers, pack_answers
from solrbench.kube.result_documents import read_answers
from support.cluster.benchmarks import small
from support.controller.world import World, condition_of, message_of
from support.controller.worlds import measured_so_far, solr_pod
from support.results.builders import make_document, make_result

BASELINE = {"baseline": {"benchmark": {"name": "old"}}, "answers": {}}


def answers(found: int, number: int = 5) -> StoredAnswers:
    entries = [
        QueryAnswer(key=f"k{each}", query=f"q={each}", found=found + each, ids=[], ranks=[])
        for each in range(number)
    ]
    return pack_answers(entries, StoredAnswers(first=10), MAX_ANSWER_BYTES)


def store(
    world: World,
    name: str,
    answered: StoredAnswers | None,
    variant: str = "",
    step_run: str = "r1-s0-two-users",
) -> None:
    """Store the first step run of a benchmark, or another one."""
    given: dict[str, Any] = {"id": step_run, "variant": variant, "answers": answered}
    document = make_document("two-users", 1, make_result([100_000] * 300), **given)
    world.store(document, name=name)


def compared(own: StoredAnswers | None, others: StoredAnswers | None) -> SolrBenchmark:
    """Return a benchmark that has its first results, and a baseline with these answers."""
    world = measured_so_far(retries=2)
    spec = world.body()["spec"]
    spec["comparison"] = BASELINE
    spec["load"]["repeats"] = {"count": 6}
    world.cluster.put(solr_pod())
    world.cluster.put(small("old"))
    store(world, "one", own)
    store(world, "old", others)
    return world.reconcile("one")


@pytest.mark.parametrize(
    ("found", "status", "reason", "sentence"),
    [
        (7, "True", "SameAnswers", "one answers all 5 queries like old."),
        (8, "False", "AnswersDiffer", "one answers 5 of 5 queries differently than old."),
    ],
)
def test_answers_are_compared_with_those_of_the_baseline(
    found: int, status: str, reason: str, sentence: str
) -> None:
    after = compared(answers(found), answers(7))
    assert condition_of(after, "AnswersCompared") == (status, reason)
    (comparison,) = after.status.answer_comparisons
    assert (comparison.candidate, comparison.baseline) == ("one", "old")
    assert comparison.num_found == comparison.different == (5 if found == 8 else 0)
    assert sentence in after.status.answers


def test_a_baseline_without_answers_is_said_with_a_remedy() -> None:
    after = compared(answers(7), None)
    assert condition_of(after, "AnswersCompared") == ("Unknown", "AnswersNotCompared")
    wanted = "old has no stored answers; set spec.comparison.answers in it"
    assert wanted in message_of(after, "AnswersCompared")


@pytest.mark.parametrize("is_gone", [False, True])
def test_variants_are_compared_beside_a_baseline_whatever_becomes_of_it(is_gone: bool) -> None:
    world = measured_so_far(retries=2)
    spec = world.body()["spec"]
    names = ("raw", "one")  # the benchmark is called so, too
    spec["target"]["variants"] = [{"name": each, "endpoint": "Nodes"} for each in names]
    spec |= {"comparison": BASELINE, "load": spec["load"] | {"repeats": {"count": 6}}}
    world.cluster.put(solr_pod())
    if not is_gone:
        world.cluster.put(small("old"))
        store(world, "old", answers(8))
    # As in the order Reversed.
    store(world, "one", answers(8), "one", "r1-v1-s0-two-users")
    world.reconcile("one")
    store(world, "one", answers(7), "raw", "r1-v0-s0-two-users")
    world.reconcile("one")
    store(world, "one", None, "raw", "r2-v0-s0-two-users")
    found = world.reconcile("one").status.answer_comparisons
    expected = [("one", "raw", 5), ("one", "old", 5)][: 1 if is_gone else 2]
    assert [(each.candidate, each.baseline, each.different) for each in found] == expected


def test_points_of_sweeps_are_read_from_their_first_step_run() -> None:
    world = World(small("point", comparison={"answers": {}}))
    assert read_answers(world.cluster, "default", "point") is None
    store(world, "point", answers(7))
    assert read_answers(world.cluster, "default", "point") == answers(7)
    assert read_answers(world.cluster, "default", "gone") is None
