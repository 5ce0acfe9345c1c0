"""Pod restarts, OOM kills and losses during a step run, as evidence of its result."""

from collections.abc import Iterable
from datetime import datetime

from solrbench.decide.views import ContainerView, PodView
from solrbench.results.model.pod_record import PodEvent, PodRecord
from solrbench.results.model.step_result import StepRunResult


def add_pod_events(document: StepRunResult, pods: Iterable[PodView]) -> StepRunResult:
    """Return the document with the events of `pods` in its time added.

    The kubelet reports the end of a container some seconds later, so events may be added after the
    document was stored. A document without new events is returned as it is.
    """
    known = {each.pod: each for each in document.pods or ()}
    found = {each.name: _record(each, document.start_time, document.end_time) for each in pods}
    if document.pods is not None and not any(
        _is_new(record, known.get(name)) for name, record in found.items()
    ):
        return document
    merged = known | {name: _merge(known.get(name), record) for name, record in found.items()}
    return document.model_copy(update={"pods": [merged[name] for name in sorted(merged)]})


def has_new_events(pods: Iterable[PodView], since: datetime) -> bool:
    """Return whether something happened to one of `pods`, or one was made, after `since`."""
    return any(
        pod.created > since
        or any(
            each.ended is not None and each.ended > since and _is_problem(each)
            for each in pod.containers
        )
        for pod in pods
    )


def _record(pod: PodView, start: datetime, end: datetime) -> PodRecord:
    problems = [
        PodEvent(kind=_kind(each), container=each.name, time=each.ended)
        for each in pod.containers
        if each.ended is not None and start <= each.ended <= end and _is_problem(each)
    ]
    if start < pod.created <= end:
        problems.append(PodEvent(kind="Replaced", time=pod.created))
    restarts = sum(each.restarts for each in pod.containers)
    return PodRecord(pod=pod.name, component=pod.component, restarts=restarts, troubles=problems)


def _is_problem(container: ContainerView) -> bool:
    """Return whether a container ended unexpectedly, not because its work was done."""
    return container.restarts > 0 or container.exit_code != 0


def _kind(container: ContainerView) -> str:
    return "OOMKilled" if container.ended_reason == "OOMKilled" else "Restarted"


def _is_new(record: PodRecord, known: PodRecord | None) -> bool:
    return any(known is None or each not in known.troubles for each in record.troubles)


def _merge(known: PodRecord | None, record: PodRecord) -> PodRecord:
    before = known.troubles if known is not None else []
    added = [each for each in record.troubles if each not in before]
    return record.model_copy(update={"troubles": [*before, *added]})
