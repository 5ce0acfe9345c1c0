"""Whether steps were measured on one target, and whether its index was clean."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.load.validity import Validity
from solrbench.results.model.measured_target import find_changes
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.validity.checks.finding import Finding, NotEvaluated
from solrbench.results.validity.checks.target import check_variant
from solrbench.results.validity.step_verdicts import evaluate_steps
from support.results.validity.target import MOVED, TARGET, reasons, step_run, through, with_target
from unit.results.builders import START, make_spec
from unit.results.validity.documents import healthy, messages_by_reason, verdict_of

PODS_TEXT = "s-0 was replaced (attempts 1 and 2)"


@pytest.mark.parametrize(
    ("deleted", "limit", "share"), [(11, 1, "1.09 %"), (1000, 1, "50 %"), (1, 0, "0.0999 %")]
)
def test_deleted_documents_above_the_limit_are_invalid(
    deleted: int, limit: int, share: str
) -> None:
    verdict = verdict_of(with_target(deleted_documents=deleted), max_deleted_percent=limit)
    assert messages_by_reason(verdict) == {
        "DeletedDocuments": f"{deleted} of {1000 + deleted} documents in the index are deleted"
        f" ({share}, limit {limit} %)"
    }


def test_deleted_documents_at_the_limit_are_valid() -> None:
    at_limit = with_target(documents=99, deleted_documents=1)
    assert verdict_of(at_limit).verdict == "Valid"
    assert verdict_of(with_target(documents=0)).verdict == "Valid"


def test_collection_of_the_user_is_measured_as_it_is() -> None:
    verdict = verdict_of(with_target(filled=False, deleted_documents=900))
    assert (verdict.verdict, verdict.unchecked) == ("Valid", [])


@pytest.mark.parametrize(
    "document",
    [healthy(target=None), with_target(deleted_documents=None), with_target(documents=None)],
)
def test_unknown_deleted_documents_are_listed_as_unchecked(document: StepRunResult) -> None:
    verdict = verdict_of(document)
    assert verdict.verdict == "Valid"
    assert [each.reason for each in verdict.unchecked] == ["DeletedDocuments"]


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({}, []),
        ({"deleted_documents": 5}, []),
        ({"documents": None}, []),
        ({"documents": 990}, ["documents: 1000, then 990"]),
        (MOVED, [PODS_TEXT, "node of s-0: n1, then n3"]),
        (
            {"indexed": START + timedelta(seconds=61)},
            ["index filled at 03:04:05, then again at 03:05:06 UTC"],
        ),
        ({"indexed": None}, []),
        ({"pods": {"s-0": "uid-1"}}, ["s-1 was replaced (attempts 1 and 1)"]),
        ({"images": {"solr": "b"}}, ["image of solr: solr:9@sha256:00, then b"]),
    ],
)
def test_changes_of_a_target_are_named(changes: dict[str, Any], texts: list[str]) -> None:
    assert find_changes(TARGET, TARGET.model_copy(update=changes)) == texts


def test_repeats_on_one_target_are_valid() -> None:
    runs = [step_run("a", 1, 0), step_run("b", 1, 1), step_run("a", 2, 2), step_run("b", 2, 3)]
    assert reasons(*runs) == {"a": {}, "b": {}}


def test_repeat_on_another_target_makes_its_steps_invalid() -> None:
    runs = [step_run("a", 1, 0), step_run("b", 1, 1), step_run("a", 2, 2, **MOVED)]
    text = f"repeat 2: measured on another target than r1-a: {PODS_TEXT}; node of s-0: n1, then n3"
    assert reasons(*runs) == {"a": {"TargetChanged": f"{text} (limit 0)"}, "b": {}}


def fresh_reasons(start_on: str, *documents: StepRunResult) -> dict[str, list[str]]:
    """Return the messages of each step where repeats start on something of their own."""
    load = {"repeats": {"count": 3, "startOn": start_on}}
    steps = [{"name": name, "users": 2, "requests": 10} for name in ("a", "b")]
    verdicts = evaluate_steps(make_spec("a", "b", load=load | {"steps": steps}), documents)
    return {each.step: list(messages_by_reason(each).values()) for each in verdicts}


AGAIN = {"indexed": START + timedelta(seconds=61)}


def test_repeat_on_a_fresh_target_is_valid() -> None:
    anew = MOVED | AGAIN
    runs = [step_run("a", 1, 0), step_run("a", 2, 2, **anew), step_run("b", 2, 3, **anew)]
    assert fresh_reasons("FreshTarget", *runs) == {"a": [], "b": []}


def test_fresh_target_with_another_image_or_index_is_invalid() -> None:
    for change in ({"images": {"solr": "b"}}, {"documents": 990}):
        runs = [step_run("a", 1, 0), step_run("a", 2, 2, **(MOVED | AGAIN | change))]
        [message] = fresh_reasons("FreshTarget", *runs)["a"]
        assert message.startswith("repeat 2: measured on another target than r1-a: ")
        assert "replaced" not in message


def test_target_that_changes_within_a_repeat_is_invalid() -> None:
    runs = [step_run("a", 1, 0), step_run("a", 2, 2), step_run("b", 2, 3, **MOVED)]
    found = fresh_reasons("FreshTarget", *runs)
    assert found["a"] == []
    assert found["b"][0].startswith("measured on another target than r2-a: s-0 was replaced")


def test_fresh_data_on_other_nodes_is_invalid() -> None:
    assert fresh_reasons("FreshData", step_run("a", 1, 0), step_run("a", 2, 2, **AGAIN)) == {
        "a": []
    }
    runs = [step_run("a", 1, 0), step_run("a", 2, 2, **(AGAIN | MOVED))]
    [message] = fresh_reasons("FreshData", *runs)["a"]
    assert PODS_TEXT in message
    assert "index filled" not in message


def test_step_on_another_target_than_the_one_before_is_invalid() -> None:
    # The first in time counts, whatever the order in which they are read.
    runs = [step_run("b", 1, 1, documents=7), step_run("a", 1, 0)]
    text = "measured on another target than r1-a: documents: 1000, then 7 (limit 0)"
    assert reasons(*runs) == {"a": {}, "b": {"TargetChanged": text}}


def test_step_without_a_record_cannot_be_compared() -> None:
    first, second = step_run("a", 1, 0), step_run("b", 1, 1)
    old = second.model_copy(update={"target": None})
    unchecked = evaluate_steps(make_spec("a", "b"), [first, old])[1].unchecked
    assert [each.reason for each in unchecked] == [
        "DeletedDocuments",
        "TargetChanged",
        "LoadSharesNodes",
    ]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (through(999, "9.10.1"), "leads to 999 documents, the target has 1000 (limit 0)"),
        (through(1000, "9.9.0"), "leads to Solr 9.9.0, the target is Solr 9.10.1 (limit 0)"),
        (through(0, "9.9.0"), "0 documents, the target has 1000 and to Solr 9.9.0"),
        (through(None, "9.10.1", "9.9.0"), "leads to Solr 9.10.1, 9.9.0, the target is"),
    ],
)
def test_a_variant_that_leads_elsewhere_is_invalid(document: StepRunResult, text: str) -> None:
    message = check_variant(document, make_spec("one").load)
    assert isinstance(message, Finding)
    assert text in message.text
    allowed = make_spec("one").load.model_copy(
        update={"validity": Validity(allow_variant_differences=True)}
    )
    assert check_variant(document, allowed) is None


@pytest.mark.parametrize(
    "document", [through(1000, "9.10.1"), through(None, "9.10.1"), with_target(), healthy()]
)
def test_a_variant_to_the_same_collection_is_valid(document: StepRunResult) -> None:
    assert check_variant(document, make_spec("one").load) is None


@pytest.mark.parametrize("document", [through(None), healthy(target=None, variant="proxy")])
def test_a_variant_that_does_not_show_what_it_leads_to_is_unchecked(
    document: StepRunResult,
) -> None:
    assert isinstance(check_variant(document, make_spec("one").load), NotEvaluated)
