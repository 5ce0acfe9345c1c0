"""Answers in the status: beside a baseline, between variants, and what the load is asked for."""

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


def store(world: World, name: str, answered: StoredAnswers | None) -> None:
    """Store the first step run of a benchmark."""
    document = make_document("two-users", 1, make_result([100_000] * 300))
    update = {"id": "r1-s0-two-users", "answers": answered}
    world.store(document.model_copy(update=update), name=name)


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


def test_points_of_sweeps_are_read_from_their_first_step_run() -> None:
    world = World(small("point", comparison={"answers": {}}))
    assert read_answers(world.cluster, "default", "point") is None
    store(world, "point", answers(7))
    assert read_answers(world.cluster, "default", "point") == answers(7)
    assert read_answers(world.cluster, "default", "gone") is None
