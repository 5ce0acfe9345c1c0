"""What Solr, ZooKeeper and their pods did during a step, and that the CPU limit held it back."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, small

NAME = "telemetry"
LIMIT_CORES = 0.4


@pytest.fixture(scope="module")
def status() -> Iterator[dict[str, Any]]:
    resources = {
        "requests": {"cpu": "100m", "memory": "768Mi"},
        "limits": {"cpu": "400m", "memory": "1536Mi"},
    }
    yield from kube.measured(
        small(
            NAME,
            target__solrCloud=SMALL_SOLR | {"resources": resources},
            # Some readings of Solr while it indexes.
            dataset={"generator": {"documents": 40_000}},
            load={
                "repeats": {"count": 2},
                "telemetry": {"collect": "ServersAndPods", "intervalSeconds": 1},
                "steps": [{"name": "four-users", "users": 4, "durationSeconds": 8}],
            },
            diagnostics={
                "repeat": 2,
                "gcLog": True,
                "threadDumps": {"count": 0},
                "flightRecording": {"durationSeconds": 6},
            },
        )
    )


def test_status_has_what_solr_and_zookeeper_did(status: dict[str, Any]) -> None:
    (found,) = status["telemetry"]
    assert found["step"] == "four-users"
    assert found.get("missing", []) == []
    assert found["nodes"] == 1
    assert 0 < found["cpuCores"] <= 1.2 * LIMIT_CORES
    assert found["cpuMillisecondsPerRequest"] > 0
    # Absent unless the old generation was collected; what Solr holds is more than survivors.
    assert 16 << 20 < found.get("heapAfterGcMaxBytes", 64 << 20) <= 512 << 20
    assert 0 <= found["gcPercent"] < 100
    assert found["indexBytes"] > 0
    assert found["workingSetMaxBytes"] > 100 << 20
    assert found["machineCpuPercent"] > 0


def test_status_has_what_solr_did_while_it_indexed(status: dict[str, Any]) -> None:
    dataset = status["dataset"]
    found = dataset["solr"]
    assert found.get("missing", []) == []
    assert found["nodes"] == 1
    assert 0 < found["cpuCores"] <= 1.2 * LIMIT_CORES
    # All of them, but for what was sent before the first reading and after the last.
    assert found["updatesPerSecond"] == pytest.approx(dataset["documentsPerSecond"], rel=0.3)
    assert found["mergeThreads"] >= 0
    assert 0 <= found["mergeStalledPercent"] <= 100
    assert found["throttledPercent"] > 5
    assert dataset["commitSeconds"] > 0
    assert 0 < dataset["waitingPercent"] <= 100
    assert dataset["verdict"] == "Valid", dataset["reasons"]
    assert dataset["bottleneck"]["resource"] == "Throttling", dataset["bottleneck"]
    (cpu,) = (each for each in dataset["series"] if each["figure"] == "cpu_percent")
    assert len(cpu["values"]) > 2


def test_the_cpu_limit_is_named(status: dict[str, Any]) -> None:
    (found,) = status["telemetry"]
    assert found["throttledPercent"] > 5
    (bottleneck,) = status["bottlenecks"]
    assert bottleneck["resource"] == "Throttling", bottleneck
    assert bottleneck["field"] == "target.solrCloud.resources.limits.cpu"


def test_report_has_every_pod_and_sentences(status: dict[str, Any]) -> None:
    document = json.loads(kube.solrbench("report", NAME, "-o", "json"))
    for step in document["steps"]:
        telemetry = step["telemetry"]
        servers = ("solr-0", "zookeeper-1", "load-master-0", "load-worker-0")
        assert {each["server"] for each in telemetry["pods"]} == {
            f"{NAME}-{server}" for server in servers
        }
        assert len({each["machine"] for each in telemetry["pods"]}) == 1
        assert telemetry["zookeeper"][0]["figures"]["watches"] > 0
        assert telemetry["handlers"][0]["handler"] == "/select"
    text = kube.solrbench("report", NAME, "-o", "markdown")
    assert "four-users: the bottleneck is the CPU limit of a pod" in text


def test_log_and_recording_of_the_second_repeat_are_in_the_archive(
    status: dict[str, Any], tmp_path: Path
) -> None:
    archive = tmp_path / "telemetry.tar.gz"
    kube.solrbench("export", NAME, "--to", str(archive))
    with tarfile.open(archive) as files:
        found = {
            each.name.partition("diagnostics/r2-s0-four-users/")[2]: each
            for each in files
            if "/diagnostics/" in each.name
        }
        assert set(found) == {f"gc-{NAME}-solr-0.log", f"flight-{NAME}-solr-0.jfr"}
        log, recording = (files.extractfile(found[name]) for name in sorted(found, reverse=True))
        assert log is not None
        assert b"no GC log" not in log.read()  # and no collection, if none was needed
        assert recording is not None
        whole = recording.read()
    assert whole.startswith(b"FLR\0")
    assert b"org.apache.solr" in whole
    assert b"SOLR_HOME" not in whole  # of the environment, which may hold secrets
