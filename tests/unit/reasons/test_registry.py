"""The registry of reasons against the sources that use it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import solrbench
from solrbench.load.master.step_run import RunStage
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.kinds import Kind, Reason
from solrbench.reasons.lifecycle import REFUSALS
from solrbench.reasons.load import LoadReason
from solrbench.reasons.registry import ALL_REASONS, GROUPS, PERMANENT_REASONS, find_reason
from solrbench.reasons.target import TargetReason

ROOT = Path(solrbench.__file__).parent
REPORTED_STAGES = {
    LoadReason.WAITING_FOR_WORKERS,
    LoadReason.SENDING_QUERIES,
    LoadReason.EMPTYING_CACHES,
    LoadReason.WARMING_UP,
    LoadReason.RAMPING,
    LoadReason.MEASURING,
    LoadReason.STORING,
    LoadReason.FINISHED,
}
"""Stages that the load master reports by their words."""


OF_INTEREST = re.compile(
    rf"\b(?:{'|'.join(group.__name__ for group in GROUPS)})\.|Error\(\s*[\"'(\w]*[\"']"
)
"""A reference to a reason, or an error with a literal; to parse every module takes two seconds."""


@cache
def nodes() -> list[ast.Attribute | ast.Call]:
    """Return the attributes and calls of the modules of interest beside the registry."""
    texts = [
        file.read_text("utf-8")
        for file in ROOT.rglob("*.py")
        if "reasons" not in file.relative_to(ROOT).parts
    ]
    return [
        node
        for text in texts
        if OF_INTEREST.search(text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute | ast.Call)
    ]


def test_every_entry_is_used() -> None:
    groups = {group.__name__ for group in GROUPS}
    used = {
        f"{node.value.id}.{node.attr}"
        for node in nodes()
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in groups
    }
    entries = {f"{type(each).__name__}.{each.name}" for each in {*ALL_REASONS} - REPORTED_STAGES}
    assert entries - used == set()


def test_stages_are_those_that_the_load_master_reports() -> None:
    reported = {each.value for each in RunStage if each is not RunStage.FAILED}
    assert {each.value for each in REPORTED_STAGES} == reported


def test_no_error_is_raised_with_a_literal_reason() -> None:
    literal = [
        ast.unparse(node)
        for node in nodes()
        if isinstance(node, ast.Call)
        and len(node.args) == 2
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
        and ast.unparse(node.func).endswith("Error")
    ]
    assert literal == []


def test_words_are_unique_and_found() -> None:
    reasons = ALL_REASONS
    assert len({each.value for each in reasons}) == len(reasons)
    assert [find_reason(each.value) for each in reasons] == list(reasons)
    assert find_reason("NoSuchReason") is None
    assert find_reason(None) is None


@pytest.mark.parametrize("reason", ALL_REASONS, ids=str)
def test_entry_has_full_sentences(reason: Reason) -> None:
    assert reason.isalnum()
    assert reason[0].isupper()
    for text in (reason.meaning, reason.remedy):
        assert text.endswith(".")
        assert text[0].isupper() or text[0] == "`"
        assert "|" not in text


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (TargetReason.CREATING_COLLECTION, Kind.WAITING),
        (TargetReason.SOLR_OPERATOR_MISSING, Kind.WARNING),
        (TargetReason.COLLECTION_EXISTS, Kind.PERMANENT),
        (IndexingReason.EXISTING_COLLECTION, Kind.DONE),
        (LoadReason.WORKER_LOST, Kind.WARNING),
    ],
)
def test_kind_of_an_entry(reason: Reason, kind: Kind) -> None:
    assert reason.kind is kind
    assert (reason in PERMANENT_REASONS) is (kind is Kind.PERMANENT)


def test_denied_access_is_permanent() -> None:
    assert REFUSALS <= PERMANENT_REASONS
