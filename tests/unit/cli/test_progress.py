from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import ReportStatus
from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.status import LiveLoad, Status, TargetStatus
from solrbench.cli.progress import details, elapsed_seconds, one_line, summary
from solrbench.decide.conditions import Truth
from support.cluster.benchmarks import small
from support.results.statuses import START, full_status

REASON: Any = {"reason": "Why", "message": "because", "last_transition_time": START}


def benchmark(status: Status, **metadata: Any) -> SolrBenchmark:
    body = SolrBenchmark.parse(small("one"))
    return body.model_copy(
        update={"status": status, "metadata": body.metadata.model_copy(update=metadata)}
    )


def test_nothing_is_shown_before_the_first_reconcile() -> None:
    fresh = benchmark(Status())
    assert details(fresh) == []
    assert fresh.status.progress_percent == 0
    waiting = "Waiting for the operator. If this lasts, run `solrbench preflight`."
    assert summary(fresh) == ("", waiting)
    assert one_line(fresh) == f"Pending        0 %  {waiting}"


def test_all_figures_carry_their_unit() -> None:
    found = dict(details(benchmark(full_status())))
    assert "Solr 9.10.1" in found["target"]
    assert "512 MiB" in found["target"]
    assert "20,000 documents" in found["data"]
    assert "documents/s" in found["data"]
    assert "123 of 126 requests/s" in found["load"]
    assert "two-users (proxy, repeat 2 of 1)" in found["load"]


@pytest.mark.parametrize(("variant", "where"), [(None, ""), ("proxy", " (proxy)")])
def test_trials_of_a_search_are_of_no_repeat(variant: str | None, where: str) -> None:
    trial: Any = {"stage": "Measuring", "repeat": 1, "step": "capacity-trial-3", "requests": 40}
    found = benchmark(Status(live_load=LiveLoad(variant=variant, **trial)))
    assert dict(details(found))["load"] == f"Measuring capacity-trial-3{where}, 40 requests"


def test_members_of_an_external_ensemble_are_not_counted() -> None:
    zookeeper = {"mode": "External", "connectionString": "zk.search.svc:2181"}
    body = SolrBenchmark.parse(small("one", target__solrCloud__zookeeper=zookeeper))
    status = Status(target=TargetStatus(live_nodes=1))
    assert details(body.model_copy(update={"status": status})) == [("target", "1 of 1 Solr nodes")]


def test_place_of_logs_and_events_is_shown() -> None:
    found = benchmark(Status(report=ReportStatus(evidence="one-report-evidence")))
    assert dict(details(found)) == {
        "logs and events": "ConfigMap one-report-evidence (solrbench report -o evidence)"
    }


def test_verdict_is_shown_while_the_benchmark_runs() -> None:
    def summary_of(*verdicts: str) -> str | None:
        steps = [StepVerdict(step=f"s{i}", verdict=word) for i, word in enumerate(verdicts)]
        return dict(details(benchmark(Status(verdicts=steps)))).get("verdict")

    assert summary_of() is None
    assert summary_of("Valid", "Valid") == "Valid"
    assert summary_of("Valid", "Inconclusive") == "1 of 2 steps is Inconclusive: s1"
    assert summary_of("Inconclusive", "Invalid") == "1 of 2 steps is Invalid: s1"
    assert summary_of(*["Invalid"] * 5) == "5 of 5 steps are Invalid: s0, s1, s2 and 2 more"


def reached(phase: str, succeeded: Truth, *true: str) -> Status:
    """Return a full status in which these conditions hold."""
    stored = [Condition(type=each, status="True", **REASON) for each in true]
    summary = Condition(type="Succeeded", status=succeeded, **REASON)
    return full_status().model_copy(update={"phase": phase, "conditions": [*stored, summary]})


@pytest.mark.parametrize(
    ("phase", "succeeded", "true", "words"),
    [
        ("Indexing", "Unknown", ["TargetReady"], "documents/s"),
        ("Measuring", "Unknown", ["TargetReady", "DataIndexed"], "requests/s"),
        ("Provisioning", "Unknown", ["Accepted"], "Why: because"),
        ("Failed", "False", ["TargetReady"], "Why: because"),
    ],
)
def test_log_line_shows_the_figures_of_its_stage_or_a_reason(
    phase: str, succeeded: Truth, true: list[str], words: str
) -> None:
    line = one_line(benchmark(reached(phase, succeeded, *true)))
    assert line.startswith(phase)
    assert " 70 %" in line
    assert words in line


def test_elapsed_time_counts_from_creation() -> None:
    body = benchmark(Status(), creation_timestamp=START)
    assert elapsed_seconds(body, START + timedelta(seconds=75)) == 75
    assert elapsed_seconds(benchmark(Status()), START) == 0
