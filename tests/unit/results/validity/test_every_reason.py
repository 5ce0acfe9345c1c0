"""Every reason for an Invalid step has a planted case, and is given for it alone."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.load.load import Load
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.model.environment import Environment
from solrbench.results.model.measured_target import MeasuredTarget
from solrbench.results.model.pod_record import PodEvent, PodRecord
from solrbench.results.model.step_result import FailureKind, StepRunResult, Window, WorkerPercentile
from solrbench.results.stats.histograms import Histogram
from solrbench.results.validity.checks.registry import REASONS
from solrbench.results.validity.verdict import evaluate_step, evaluate_steps
from unit.results.builders import START, make_result, make_spec
from unit.results.validity.test_verdict import answers, healthy, open_loop, worker

Case = Callable[[], tuple[Sequence[StepRunResult], dict[str, Any]]]


def one(document: StepRunResult, **load: Any) -> Case:
    return lambda: ([document], load)


def seconds(means: Sequence[int]) -> list[Window]:
    return [
        Window(second=n, requests=100, failures=0, mean_microseconds=mean, max_microseconds=mean)
        for n, mean in enumerate(means)
    ]


def repeats(*levels: float, **fields: Any) -> Case:
    """Return repeats of 60 steady seconds at these levels in ms."""
    noise = [0, 3, -2, 1, -3, 2, -1]
    documents = [
        answers(windows=seconds([round(1000 * level) + 5 * noise[n % 7] for n in range(60)]))
        for level in levels
    ]
    return lambda: (
        [each.model_copy(update={"repeat": n} | fields) for n, each in enumerate(documents, 1)],
        {},
    )


def histogram(*microseconds: int) -> str:
    made = Histogram()
    for each in microseconds:
        made.record(each)
    return made.encode()


def restarted() -> StepRunResult:
    event = PodEvent(kind="OOMKilled", container="solr", time=START + timedelta(seconds=3))
    pod = PodRecord(pod="b-solr-1", component="solr", restarts=0, troubles=[event])
    return healthy(pods=[pod])
