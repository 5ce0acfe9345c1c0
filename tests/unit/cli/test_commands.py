"""The commands on benchmarks in a cluster, with a stand-in for its API server."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx2 as httpx
import orjson
import pytest
import yaml

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.environment import Environment
from solrbench.contract.names import LABEL_BENCHMARK, LABEL_COMPONENT
from solrbench.kube.client import Cluster
from solrbench.manifests.results import build_environment
from solrbench.present.report import Report
from support.cluster.benchmarks import ON_OPERATOR, config_map, secret, small
from support.controller.world import fail_with
from support.resources.small_sweep import small_sweep
from support.results.statuses import SUCCEEDED
from support.servers.api_stub import ApiStub, status
from unit.cli.conftest import assert_one_line, call, exported, ready, written


def pod(name: str, component: str, login: str = "") -> dict[str, Any]:
    """Return a pod that runs; its container has the password of a Secret if one is named."""
    password = {"secretKeyRef": {"name": login, "key": "password"}}
    variables = [{"name": "PASSWORD", "valueFrom": password}] if login else []
    running = [{"name": "solr", "state": {"running": {}}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {LABEL_BENCHMARK: "one", LABEL_COMPONENT: component}},
        "spec": {"containers": [{"name": "solr", "env": variables}]},
        "status": {"phase": "Running", "containerStatuses": running},
    }


def with_log(api: ApiStub, body: dict[str, Any], text: str) -> None:
    path = api.path_of(api.put(body)) + "/log"
    api.objects[path] = {"text": text, "metadata": {"labels": {}}}


def test_list_has_one_line_for_each(api: ApiStub) -> None:
    api.put(small("waiting"))
    summary = {"step": "s", "requestsPerSecond": 126.4, "p95Milliseconds": 1532.0}
    status = SUCCEEDED | {"summary": summary | {"failedPercent": 0.0, "verdict": "Valid"}}
    measured = small("measured") | {"status": status | {"progressPercent": 100}}
    measured["metadata"] |= {"namespace": "search", "creationTimestamp": "2026-01-02T00:00:00Z"}
    api.put(measured)
    first, second = call("list").stdout.splitlines()
    assert first.split() == [
        "NAME", "PHASE", "DONE", "STEP", "REQUESTS", "P95", "FAILED", "VERDICT", "AGE",
    ]  # fmt: skip
    assert second.split()[:4] == ["waiting", "Pending", "0", "%"]
    everything = call("list", "-A").stdout.splitlines()
    cells = ["search", "measured", "Succeeded", "100", "%", "s", "126/s", "1.53", "s", "0", "%"]
    assert everything[1].split()[:11] == cells
    assert call("list", "-o", "name").stdout == "solrbenchmark.solrbench.io/waiting\n"
    assert len(json.loads(call("list", "-A", "-o", "json").stdout)["items"]) == 2


def test_empty_list_says_where_it_looked(api: ApiStub) -> None:
    result = call("list", "-n", "search")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "no benchmarks in namespace search\n"


@pytest.mark.parametrize(
    ("command", "value", "said"),
    [
        ("stop", True, "one is stopped; go on: solrbench resume -n default one\n"),
        ("resume", False, "one goes on\n"),
    ],
)
def test_stop_and_resume_change_one_field(
    command: str, value: bool, said: str, api: ApiStub
) -> None:
    api.put(small("one"))
    assert call(command, "one").stdout == said
    assert [body for _, body in api.sent("PATCH")] == [{"spec": {"suspend": value}}]
    point = small("point")
    point["metadata"]["labels"] = {"solrbench.io/sweep": "heaps"}
    api.put(point)
    assert f"use solrbench {command} -n default ssweep/heaps" in call(command, "point").stderr


def test_delete_asks_for_yes_without_a_terminal(api: ApiStub) -> None:
    api.put(small("one"))
    assert call("delete", "one").exit_code == 2
    assert call("delete", "one", "--yes").stdout == "one deleted\n"
    assert call("delete", "one", "--yes").exit_code == 1


def test_delete_does_not_wait_for_what_a_sweep_makes_again(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.put(small("point"))
    monkeypatch.setattr(Cluster, "delete", lambda *_: None)  # it is there again
    assert call("delete", "point", "--yes", "--timeout", "1s").stdout == "point deleted\n"


def test_logs_name_pod_and_container(api: ApiStub) -> None:
    api.put(small("one"))
    assert_one_line(call("logs", "one"), 1, "`solrbench report -n default one -o evidence`")
    with_log(api, pod("one-solr-0", "solr"), "first\nsecond\n")
    with_log(api, pod("one-load-worker-0", "load-worker"), "other\n")
    assert call("logs", "one", "--component", "solr").stdout == (
        "[one-solr-0/solr] first\n[one-solr-0/solr] second\n"
    )
    assert "[one-load-worker-0/solr] other" in call("logs", "one", "--follow").stdout
    assert call("logs", "one", "--follow", "--previous").exit_code == 2


def test_following_logs_ends_with_the_reader(api: ApiStub, monkeypatch: pytest.MonkeyPatch) -> None:
    api.put(small("one"))
    for name in ("one-solr-0", "one-solr-1"):
        with_log(api, pod(name, "solr"), "first\n")

    def follow_log(_: Cluster, __: str, name: str, *___: Any) -> Iterator[str]:
        yield "first"
        Event().wait()

    monkeypatch.setattr(Cluster, "follow_log", follow_log)
    monkeypatch.setattr("solrbench.cli.logs.click.echo", fail_with(BrokenPipeError()))
    assert isinstance(call("logs", "one", "--follow").exception, (BrokenPipeError, SystemExit))


def test_archive_has_everything_and_no_secret(api: ApiStub, tmp_path: Path) -> None:
    body = small("one") | {"status": SUCCEEDED}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    body["metadata"] |= {"annotations": applied}
    benchmark = SolrBenchmark.parse(api.put(body))
    record = Environment(spec_hash="5", solr_version="9.10.1").model_dump_json(by_alias=True)
    api.put(build_environment(benchmark, record))
    api.put(secret("login", "default", password="hunter2-long"))
    with_log(api, pod("one-solr-0", "solr", "login"), "the word is hunter2-long\n")
    with_log(api, pod("one-solr-1", "solr", "other"), "fine\n")
    api.responses["/api/v1/namespaces/default/secrets/other"] = status(403)
    event = {"involvedObject": {"kind": "SolrBenchmark", "name": "one"}, "message": "it began"}
    api.put({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, **event})
    files = exported("one", tmp_path)
    assert {
        "one/resource.yaml", "one/again.yaml", "one/report.json", "one/report.md",
        "one/results.csv", "one/events.txt", "one/versions.txt", "one/logs/one-solr-0-solr.txt",
    } <= files.keys()  # fmt: skip
    assert not any("hunter2" in text for text in files.values())
    assert files["one/logs/one-solr-0-solr.txt"].startswith("the word is ")
    assert "Secret other cannot be read" in files["one/logs/one-solr-1-solr.txt"]
    assert "it began" in files["one/events.txt"]
    assert "## Environment" in files["one/report.md"]
    assert files["one/report.md"].strip() == call("report", "one", "-o", "markdown").stdout.strip()
    again = yaml.safe_load(files["one/again.yaml"])
    assert again["metadata"] == {"name": "one"}
    assert "status" not in again


def test_what_names_a_secret_stays_in_an_archive_in_its_form(api: ApiStub, tmp_path: Path) -> None:
    # As the API server stores it, with defaults.
    body = small("one", target__solrCloud__imagePullSecrets=[]) | {"status": SUCCEEDED}
    bucket = {"endpoint": "http://s3", "bucket": "b", "credentialsSecret": {"name": "login"}}
    body["spec"]["results"] = {"export": {"s3": bucket}}
    body["metadata"]["annotations"] = {"note": "of day 1: api_key=hunter2", "token": "hunter2"}
    api.put(body)
    files = exported("one", tmp_path)
    again = yaml.safe_load(files["one/again.yaml"])
    assert again["spec"] == body["spec"]
    masked = {"note": "of day 1: api_key=***", "token": "***"}
    assert again["metadata"]["annotations"] == masked
    assert yaml.safe_load(files["one/resource.yaml"])["status"] == SUCCEEDED
    assert Report.parse(orjson.loads(files["one/report.json"])).benchmark == "default/one"


def test_copy_of_a_point_belongs_to_no_sweep(api: ApiStub, tmp_path: Path) -> None:
    body = small("point") | {"status": SUCCEEDED}
    body["metadata"] |= {
        "ownerReferences": [{"kind": "SolrBenchmarkSweep", "name": "s", "uid": "1"}],
        "annotations": {"solrbench.io/target": "other", "team": "search"},
        "labels": {"solrbench.io/sweep": "s"},
    }
    api.put(body)
    again = yaml.safe_load(exported("point", tmp_path)["point/again.yaml"])
    assert again["metadata"] == {"name": "point", "annotations": {"team": "search"}}


def test_plan_compares_pods_with_nodes(api: ApiStub, tmp_path: Path) -> None:
    file = written(tmp_path, small("one", load__repeats={"count": 3}))
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "spec": {}}
    roomy = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}}
    api.put(node | {"status": roomy})
    result = call("plan", "-f", file, code=0)
    assert "solr: 1 pod, 0.1 cores, 0.75 GiB" in result.stdout
    assert "load: 1 step x 3 repeats = 3 runs, 3 steps that end" in result.stdout
    assert "there is room for all pods" in result.stdout
    api.put(node | {"status": {"allocatable": {"cpu": "4", "memory": "512Mi", "pods": "20"}}})
    result = call("plan", "-f", file, code=1)
    assert "there is no room for solr (1 pod, 0.1 cores, 0.75 GiB)" in result.stdout
    assert call("plan", "-f", file, "--offline").exit_code == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"load": {"capacity": {}}}, "load: 1 search for the capacity, 53 s to 64.9 min\n"),
        (
            {"load__capacity": {}},
            "load: 1 step and 1 search for the capacity, 53 s to 64.9 min and 1 step that ends",
        ),
    ],
)
def test_plan_counts_a_search_for_the_capacity_as_no_step(
    changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    limits = [{"name": "fast", "responseTime": {"maxMilliseconds": 200}}]
    file = written(tmp_path, small("one", objectives=limits, **changes))
    assert words in call("plan", "-f", file, "--offline", code=0).stdout


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({}, 0, "ok       operator: operator in solrbench, version 0.1.0\n"),
        ({}, 0, "ok       rights: the user may run benchmarks in namespace default"),
        ({"namespaces": "other"}, 1, "does not watch namespace default; add it to watchNamespaces"),
        ({"ready": 0}, 1, "is not ready; see kubectl -n solrbench describe deployment operator"),
        ({"version": "0.9.9"}, 0, "version 0.9.9; this command has version 0.1.0; use the same"),
        ({"version": "dev"}, 0, "ok       operator: operator in solrbench, version dev\n"),
    ],
)
def test_preflight_says_whether_the_operator_is_ready(
    changes: dict[str, Any], code: int, words: str, api: ApiStub
) -> None:
    ready(api, **changes)
    assert words in call("preflight", code=code).stdout


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (None, "no operator runs in this cluster; install the chart"),
        ({"namespaces": "other"}, "does not watch namespace default; add it to watchNamespaces"),
        ({"version": "0.0.9"}, "the operator has version 0.0.9, this command 0.1.0; install the"),
        ({"ready": 0}, "the operator in solrbench is not ready; run `solrbench preflight`"),
        ({}, ""),
        ({"version": "dev"}, ""),
        ({"namespaces": "*"}, ""),
    ],
)
def test_run_warns_in_one_line_that_nothing_will_happen(
    changes: dict[str, Any] | None, words: str, api: ApiStub, tmp_path: Path
) -> None:
    if changes is not None:
        ready(api, **changes)
    result = call("run", "--timeout", "1ms", written(tmp_path, small("one")))
    warnings = [line for line in result.stderr.splitlines() if line.startswith("Warning: ")]
    assert result.exit_code == 3
    assert len(warnings) == bool(words)
    assert words in "".join(warnings)


@pytest.mark.parametrize("key", ["requests.memory", "memory"])
def test_preflight_compares_files_with_quota_and_classes(
    api: ApiStub, tmp_path: Path, key: str
) -> None:
    ready(api)
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small"}}
    api.put(quota | {"status": {"hard": {key: "1Gi"}, "used": {}}})
    claim = {"persistent": {"size": "1Gi", "storageClassName": "fast"}}
    file = written(tmp_path, small("one", target__solrCloud=ON_OPERATOR | {"storage": claim}))
    found = json.loads(call("preflight", "-f", file, "-o", "json", code=1).stdout)
    failed = {each["check"]: each["message"] for each in found if each["result"] == "failed"}
    said = f"ResourceQuota small allows 1Gi of {key}, 0 are used; one needs 1.44 GiB"
    assert failed["namespace"].startswith(said)
    assert failed["storage"] == "there is no StorageClass fast"
    assert "no kind SolrCloud" in failed["solr operator"]
    assert "no node takes pods" in failed["capacity"]


def test_preflight_looks_at_the_namespace_that_the_file_names(api: ApiStub, tmp_path: Path) -> None:
    ready(api, namespaces="search")
    body = small("one")
    body["metadata"]["namespace"] = "search"
    file = written(tmp_path, body)
    output = call("preflight", "-f", file).stdout
    assert "ok       rights: the user may run benchmarks in namespace search" in output
    assert "ok       operator: operator in solrbench" in output
    assert "namespace default" not in output
    assert "does not watch namespace team" in call("preflight", file, "-n", "team").stdout


def test_preflight_looks_for_the_definition_of_sweeps(api: ApiStub, tmp_path: Path) -> None:
    ready(api)
    file = written(tmp_path, small_sweep())
    found = "ok       definition: solrbenchmarksweeps.solrbench.io, v1alpha1"
    assert found in call("preflight", "-f", file).stdout
    api.groups["/apis/solrbench.io/v1alpha1"] = ("SolrBenchmark",)
    missing = "definition: solrbenchmarksweeps.solrbench.io is not installed; install the chart"
    assert missing in call("preflight", "-f", file).stdout
    assert missing not in call("preflight").stdout


def test_preflight_names_missing_rights(api: ApiStub, tmp_path: Path) -> None:
    ready(api)
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    api.responses[path] = httpx.Response(201, json={"status": {"allowed": False}})
    output = call("preflight", code=1).stdout
    assert "the user may not get solrbenchmarks" in output
    assert "solrbenchmarksweeps" not in output
    sweep = written(tmp_path, small_sweep())
    assert "create solrbenchmarksweeps" in call("preflight", "-f", sweep).stdout


def test_versions_of_all_parts(api: ApiStub) -> None:
    ready(api)
    client = json.loads(call("version", "--client", "-o", "json").stdout)
    assert client.keys() == {"client", "api"}
    server = {"definition": "v1alpha1", "operator": "0.1.0 in solrbench", "kubernetes": "v1.34.0"}
    assert json.loads(call("version", "-o", "json").stdout) == client | server


def test_open_writes_the_report_where_no_load_runs(api: ApiStub) -> None:
    api.put(small("one"))
    result = call("open", "one", "--no-browser")
    address = result.stdout.partition("Report of one: file://")[2].strip()
    assert "SolrBenchmark report" in Path(address).read_text("utf-8")


@pytest.mark.parametrize(("data", "query"), [({"token": "t"}, "?token=t"), ({}, "")])
def test_open_gives_the_page_the_token_of_the_load(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch, data: dict[str, str], query: str
) -> None:
    forwarded: list[tuple[object, ...]] = []

    def forward(*arguments: object, no_browser: bool) -> None:
        forwarded.append(arguments)
        raise SystemExit(0)

    monkeypatch.setattr("solrbench.cli.report._forward", forward)
    api.put(small("one"))
    api.put(pod("one-load-master-x", "load-master"))
    api.put(config_map("one-load-master", **data))
    assert call("open", "one", "--no-browser").exit_code == 0
    assert forwarded == [("one", "default", "one-load-master-x", 8089, query)]


def test_an_archive_of_before_stays_until_the_new_one_is_whole(
    api: ApiStub, tmp_path: Path
) -> None:
    api.put(small("one"))
    api.responses["/api/v1/namespaces/default/pods"] = status(403)
    file = tmp_path / "run.tar.gz"
    file.write_bytes(b"before")
    call("export", "one", "--to", str(file), code=1)
    assert file.read_bytes() == b"before"
    assert [*tmp_path.glob("run*")] == [file]
