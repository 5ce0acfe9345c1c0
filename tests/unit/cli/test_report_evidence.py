"""`solrbench report -o evidence` prints what was kept of failures."""

from typing import Any

import pytest
from click.testing import CliRunner

from solrbench.cli import report
from solrbench.cluster.evidence import store_evidence
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    body: dict[str, Any] = stored().model_dump(mode="json", by_alias=True, exclude_none=True)
    del body["metadata"]["resourceVersion"]
    fake = FakeCluster(body)
    monkeypatch.setattr(report, "open_cluster", lambda *_: (fake, "search"))
    return fake


def printed() -> str:
    result = CliRunner().invoke(report.report, ["base", "-o", "evidence"])
    assert result.exit_code == 0, result.output
    return result.output


def test_entries_are_printed_in_the_order_of_time(cluster: FakeCluster) -> None:
    for key, text in (("b.txt", "2026-01-01 first\n"), ("a.txt", "2026-01-02 second\n")):
        store_evidence(cluster, stored(), key, text)
    assert printed() == "=== b.txt\n2026-01-01 first\n\n=== a.txt\n2026-01-02 second\n"


def test_benchmark_without_failure_has_none(cluster: FakeCluster) -> None:
    assert "nothing was kept" in printed()


def test_evidence_of_a_deleted_benchmark_of_the_same_name_is_not_printed(
    cluster: FakeCluster,
) -> None:
    store_evidence(cluster, stored(), "a.txt", "2026-01-01 first\n")
    found = cluster.objects["ConfigMap", "search", "base-report-evidence"]
    found["metadata"]["ownerReferences"][0]["uid"] = "another"
    assert "nothing was kept" in printed()
