"""Every reason for an Invalid step has a planted case, which is accused of that alone.

Messages of verdicts: what happened, the measured value, the limit, the remedy.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import pytest

from solrbench.analysis.check_registry import REASONS
from solrbench.contract.server_document import AddedDocuments, PodEvent, PodRecord
from solrbench.contract.step_document import FailureKind
from solrbench.contract.windows import EndedEarly
from support.results.builders import START, make_result, make_spec, verdicts_of
from support.results.validity_documents import (
    MOVED,
    SEPARATE_NODES,
    answers,
    changing,
    delayed,
    healthy,
    on_target,
    open_loop,
    placed,
    quiet_machine,
    repeat,
    rising,
    seen,
    short_repeat,
    through,
    verdict_of,
    with_target,
    worker,
)

Messages = Callable[[], dict[str, str]]


def of(*documents: Any, **limits: int) -> Messages:
    return lambda: {each.reason: each.message for each in verdict_of(*documents, **limits).reasons}


def failed(kind: str, count: int) -> Messages:
    return of(answers(failures=count, failure_kinds=[FailureKind(kind=kind, count=count)]))


def restarted() -> Any:
    killed = PodEvent(kind="OOMKilled", container="solr", time=START + timedelta(seconds=3))
    later = PodEvent(kind="Replaced", time=START + timedelta(seconds=5))
    return healthy(
        pods=[
            PodRecord(pod="b-solr-1", component="solr", restarts=0, troubles=[later]),
            PodRecord(pod="b-solr-0", component="solr", restarts=1, troubles=[killed]),
        ]
    )


def moved() -> dict[str, str]:
    runs = on_target("a", 1, 0), on_target("a", 2, 2, **MOVED)
    (verdict,) = verdicts_of(make_spec("a"), runs)
    return {each.reason: each.message for each in verdict.reasons}


class Planted(NamedTuple):
    """The messages by reason that are given in a case, and the one that it was planted for."""

    messages: Messages
    finding: str
    """Without the remedy; stars stand for numbers that are drawn."""


PLANTED: dict[str, Planted] = {
    "WorkerSaturated": Planted(
        of(healthy(workers=[worker(), worker(cpu_seconds=9.5)])),
        "Load worker w-0 used 95 % of a core for 10 s (limit 90 %)",
    ),
    "WorkersDiffer": Planted(
        of(
            healthy(workers=[seen("w-0", 10, 20), seen("w-1", 24, 110), seen("w-2", 10.4, 20)]),
            workers=3,
        ),
        "The p95 of load worker w-1 is 24 ms, 135 % above the 10.2 ms of the others (limit 50 %; by"
        " 10* standard errors more of its requests are that slow)",
    ),
    "DelayedByGenerator": Planted(
        of(open_loop(200, **delayed([3000] * 180 + [143_000] * 20, [3000] * 180 + [4000] * 20))),
        "The workers' own delays raised p95 of the response times of query from 4 ms to 143 ms"
        " (3474 %, limit 5 %)",
    ),
    "ScheduleLag": Planted(
        of(open_loop(200).model_copy(update={"workers": [worker(lag_p99_microseconds=12_500)]})),
        "Load worker w-0 delayed requests by 12.5 ms (p99, limit 10 ms)",
    ),
    "WorkersLost": Planted(
        of(healthy(lost_workers=["w-1"]), workers=2), "1 of 2 workers were lost: w-1 (limit 0)"
    ),
    "PodThrottled": Planted(
        of(healthy(workers=[worker(throttled_seconds=2.5, cpu_limit_cores=0.5, cpu_seconds=0.4)])),
        "Load worker w-0 was CPU-throttled for 2.5 s of 10 s at 0.5 cores (25 %, limit 1 %)",
    ),
    "CpuStolen": Planted(
        of(healthy(workers=[worker("w-1"), worker(stolen_seconds=0.7)])),
        "The host took 0.7 of 10 s of each CPU of load worker w-0's node (7 %, limit 5 %)",
    ),
    "CpuPressure": Planted(
        of(healthy(workers=[worker("w-1"), worker(pressure_seconds=6.0)])),
        "Processes of load worker w-0 waited for a CPU for 6 of 10 s (60 %, limit 50 %)",
    ),
    "OthersUseCpu": Planted(
        of(healthy(telemetry=quiet_machine(53.5))),
        "Other processes used 31 % of the CPUs of the node of the load master (limit 30 %)",
    ),
    "EndedEarly": Planted(
        of(healthy(ended_early=EndedEarly(second=40.0, last_good_second=30.0, failures=9))),
        "The step was stopped at second 40, because no response had succeeded since second 30; 9"
        " requests failed in that time (load.stop.collapseSeconds, limit 10 s)",
    ),
    "NotSteady": Planted(
        of(changing(rising(60))),
        "Steady state was not reached: the mean service time rose by * % in the last * s (limit"
        " 10 %)",
    ),
    "PodRestarted": Planted(
        of(restarted()),
        "Pods restarted or were lost 2 times, first container solr of pod b-solr-0 at 03:04:08 UTC"
        " (OOMKilled; limit 0)",
    ),
    "ConnectionsRanOut": Planted(
        failed("ConnectionsRanOut", 2),
        "2 of 200 requests found no free port, file or memory (limit 0)",
    ),
    "RequestsFailed": Planted(
        failed("HTTP503", 101), "101 of 200 requests of query failed (50.5 %, limit 1 %)"
    ),
    "PartialResults": Planted(
        of(answers(partial_results=2)),
        "2 of 200 requests of query had partial results (1 %, limit 0 %)",
    ),
    "EmptyResults": Planted(
        of(answers(empty_results=150)),
        "150 of 200 requests of query had empty results (75 %, limit 50 %)",
    ),
    "RequestsDropped": Planted(
        of(open_loop(1000, dropped_requests=11)),
        "11 of 1000 planned requests were never sent (1.1 %, limit 1 %)",
    ),
    "RequestsLate": Planted(
        of(open_loop(1000, late_requests=51), max_late_percent=5),
        "51 of 1000 planned requests were sent late (5.1 %, limit 5 %)",
    ),
    "QueriesMayRepeat": Planted(
        of(healthy(queries_may_repeat=True)),
        "Load pods were lost; how many queries of a list with order Once they had sent is unknown,"
        " so some may have been sent twice (limit 0)",
    ),
    "DocumentsLost": Planted(
        of(healthy(batch_size=10, added=AddedDocuments(documents=9))),
        "Replicas have 9 of 2,000 documents that Solr accepted (limit 0)",
    ),
    "DeletedDocuments": Planted(
        of(with_target(deleted_documents=11), max_deleted_percent=1),
        "11 of 1011 documents in the index are deleted (1.09 %, limit 1 %)",
    ),
    "VariantDiffers": Planted(
        of(through(999, "9.10.1")),
        "Variant proxy points to 999 documents, the target has 1000 (limit 0)",
    ),
    "FirstRepeatDiffers": Planted(
        of(repeat(1, 13_000), repeat(2, 10_000), repeat(3, 10_000)),
        "The first repeat is [23][0-9]* % slower than the others, beyond chance (limit 3 %)",
    ),
    "RepeatsDrift": Planted(
        of(*(repeat(n, round(10_000 * 1.07**n)) for n in range(1, 6))),
        "Each repeat is * % slower than the one before, beyond chance (limit 3 %)",
    ),
    "RepeatsDisagree": Planted(
        of(*(repeat(n, 13_000 if n == 3 else 10_000) for n in range(1, 6))),
        "The mean service times of the repeats differ by * %, beyond chance (limit 3 %)",
    ),
    "RepeatTimesDiffer": Planted(
        of(*(short_repeat(n, level) for n, level in ((1, 10_000), (2, 26_000), (3, 10_500)))),
        "The * of repeat 2 (*) is * % above that of repeat [13] (*), beyond chance (limit 25 %)",
    ),
    "EmptyResultsIncreased": Planted(
        of(repeat(1, 10_000, empty_results=2), repeat(2, 10_000, empty_results=30)),
        "15 % of the requests of query had empty results in repeat 2, 1 % in the first (limit 1 %"
        " of the requests more)",
    ),
    "LoadSharesNodes": Planted(
        lambda: placed(SEPARATE_NODES | {"load-worker": ["n2", "n3"]})[0],
        "Load pods ran on 1 of the 2 Kubernetes nodes with Solr pods (n2; limit 0)",
    ),
    "SolrSharesNodes": Planted(
        lambda: placed(SEPARATE_NODES | {"solr": ["n1"]})[0],
        "2 Solr pods ran on 1 Kubernetes node (limit 1 pod on each)",
    ),
    "TargetChanged": Planted(
        moved,
        "Repeat 2: measured on another target than r1-a: s-0 was replaced or restarted (attempts 1"
        " and 2); node of s-0: n1, then n3 (limit 0)",
    ),
    "TooFewSamples": Planted(
        of(healthy(requests=[make_result([1000] * 199)])),
        "199 requests of query in all repeats (limit 200: 10 must lie beyond p95)",
    ),
}


def test_every_reason_has_a_planted_case() -> None:
    assert set(PLANTED) == set(REASONS)


@pytest.mark.parametrize("reason", PLANTED)
def test_a_planted_case_is_accused_of_its_reason_alone_with_limit_and_remedy(reason: str) -> None:
    messages, finding = PLANTED[reason]
    ((found, message),) = messages().items()
    remedy = f"{REASONS[reason].remedy[0].upper()}{REASONS[reason].remedy[1:]}."
    assert found == reason
    assert fnmatchcase(message, f"{finding}. {remedy}"), message
    assert re.search(r"[( ]limit \d.*\)$", finding)
    assert re.match("(Raise|Lower|Look|Use|Measure|Give|Stop|Lengthen|Taint|Add) ", remedy)
    assert not re.search(r"\b(nobody|told|tells?|whoever|bound)\b", message)  # codespell:ignore


def test_of_a_message_that_is_too_long_the_end_is_cut_and_no_remedy() -> None:
    (reason,) = verdict_of(healthy(workers=[worker("w" * 2000, cpu_seconds=9.5)])).reasons
    assert reason.message == ("Load worker … Raise load.workers, or the CPU in load.resources.")
