"""Step runs with the target that they were measured on."""

from datetime import timedelta
from typing import Any

from solrbench.contract.environment import MeasuredTarget, VariantTarget
from solrbench.contract.step_document import StepRunResult
from support.results.builders import START, make_spec, verdicts_of
from support.results.validity_documents import healthy, messages_by_reason

TARGET = MeasuredTarget(
    attempt=1,
    pods={"s-0": "uid-1", "s-1": "uid-2"},
    nodes={"s-0": "n1", "s-1": "n2"},
    images={"solr": "solr:9@sha256:00"},
    documents=1000,
    deleted_documents=0,
    indexed=START,
)
MOVED: dict[str, Any] = {
    "attempt": 2,
    "pods": {"s-0": "uid-3", "s-1": "uid-2"},
    "nodes": {"s-0": "n3", "s-1": "n2"},
}


def with_target(**changes: Any) -> StepRunResult:
    return healthy(target=TARGET.model_copy(update=changes))


def step_run(step: str, repeat: int, minute: int, **changes: Any) -> StepRunResult:
    """Return a step run of a minute of its own."""
    run = with_target(**changes)
    start = run.start_time + timedelta(minutes=minute)
    identity = {"step": step, "repeat": repeat, "id": f"r{repeat}-{step}", "start_time": start}
    return run.model_copy(update=identity)


def reasons(*documents: StepRunResult) -> dict[str, dict[str, str]]:
    """Return message by reason by step."""
    verdicts = verdicts_of(make_spec("a", "b"), documents)
    return {each.step: messages_by_reason(each) for each in verdicts}


def through(documents: int | None = 1000, *versions: str) -> StepRunResult:
    """Return a step run through a variant that points to so many documents."""
    variant = VariantTarget(documents=documents, solr_versions=list(versions))
    target = TARGET.model_copy(update={"variant": variant, "solr_versions": ["9.10.1"]})
    return healthy(target=target, variant="proxy")
