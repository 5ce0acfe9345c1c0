"""The updates of a step that indexes: documents of each try have ids of their own."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from solrbench.api.v1alpha1.request_mix import UPDATE
from solrbench.contract.load_plan import CapacitySearch, planned_probe
from solrbench.load.engine.target import load_target
from solrbench.load.schedule.messages import Assignment, step_assignment, warm_up_assignment
from support.load.builders import plan_of, sent_json
from support.narrowing import not_none

STEP = {"name": "add", "users": 4, "requests": 40, "indexing": {"batchSize": 3}}
GENERATOR = {"documents": 50, "vocabularyTerms": 100, "wordsPerDocument": 5}
QUERIES = {"queries": {"generated": {"count": 5}}}
PLAN = plan_of(
    QUERIES,
    generator=GENERATOR,
    workers=2,
    warmUp={"requests": 4},
    stepRuns=[{"id": "r1-s0-add", "repeat": 1, "step": STEP}],
)
TARGET = load_target(PLAN, Path("/none"))
DUTY = step_assignment(PLAN, PLAN.step_runs[0])


def documents_of(duty: Assignment, requests: int = 20) -> list[dict[str, Any]]:
    """Return the documents of the first requests of a worker."""
    stream = TARGET.of(duty).requests.open_stream(duty)
    bodies = list(map(sent_json, islice(stream.requests, requests)))
    assert {len(body) for body in bodies} == {3}
    return [document for body in bodies for document in body]


def test_each_document_is_sent_once_by_all_workers() -> None:
    both = [documents_of(DUTY.model_copy(update={"worker": worker})) for worker in (0, 1)]
    ids = Counter(document["id"] for documents in both for document in documents)
    assert set(ids.values()) == {1}
    assert ids.keys() == {f"{DUTY.document_prefix}{number:012d}" for number in range(120)}
    assert all(document["text_t"] for documents in both for document in documents)


def test_same_step_run_sends_the_same_documents() -> None:
    assert documents_of(DUTY) == documents_of(DUTY)


def test_another_try_attempt_and_warm_up_have_other_ids() -> None:
    warm_up = not_none(warm_up_assignment(PLAN, PLAN.step_runs[0]))
    others: list[dict[str, Any]] = [{"key": f"{DUTY.key}/again-1"}, {"attempt": 2}]
    tries = [DUTY, warm_up, *(DUTY.model_copy(update=each) for each in others)]
    ids = [{document["id"] for document in documents_of(each)} for each in tries]
    assert len(set.union(*ids)) == sum(map(len, ids))
    # So that those of one try can be counted by what their ids begin with.
    for own in tries:
        found = [each for some in ids for each in some if each.startswith(own.document_prefix)]
        assert len(found) == 60


def test_trials_of_a_search_send_its_updates() -> None:
    search = {
        "capacity": {"indexing": {"batchSize": 7}},
        "objectives": [],
        "maxFailedPercent": 1,
        "variants": [""],
        "workers": 1,
        "seed": 1,
    }
    plan = plan_of(QUERIES, generator=GENERATOR, search=search)
    trial = planned_probe(CapacitySearch.model_validate(search), "")
    assert trial.batch_size == 7
    made = load_target(plan, Path("/none")).of(step_assignment(plan, trial))
    assert made.requests.names == (UPDATE,)


def test_steps_that_send_queries_are_as_they_were() -> None:
    duty = DUTY.model_copy(update={"indexing": None})
    assert TARGET.of(duty) is TARGET
    assert TARGET.requests.names == ("query",)
