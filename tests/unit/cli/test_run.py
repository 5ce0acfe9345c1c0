"""Ordinary mistakes: each ends at once, in one line that says what to do, and an exit code."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli import lifecycle
from solrbench.cli import run as run_module
from solrbench.cli.errors import as_cli_errors
from solrbench.cli.options import DURATION
from solrbench.cli.program import ExitCode
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import config_map, small
from support.resources.small_resource import resource
from support.results.statuses import SUCCEEDED
from support.servers.api_stub import ApiStub, status
from unit.cli.conftest import assert_one_line, call, written


@pytest.fixture(autouse=True)
def _short_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solrbench.cli.follow.POLL_SECONDS", 0.02)


def done(**status: Any) -> dict[str, Any]:
    return small("one") | {"status": SUCCEEDED | status}


CAUSES = {"causes": [{"field": "spec", "message": "may not change"}]}


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (status(422, "it is invalid", details=CAUSES), "it is invalid (spec: may not change)"),
        (status(404, 'namespaces "gone" not found'), "make it with kubectl create namespace"),
    ],
)
def test_refusal_of_the_server_is_its_message(
    refusal: Any, words: str, api: ApiStub, tmp_path: Path
) -> None:
    path = "/apis/solrbench.io/v1alpha1/namespaces/gone/solrbenchmarks/one"
    api.responses[path] = refusal
    result = call("run", "-f", written(tmp_path, small("one")), "-n", "gone")
    assert "{" not in assert_one_line(result, 1, words)


def test_deletion_that_a_finalizer_holds_ends_with_the_time(
    api: ApiStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(lifecycle, "LOG_SECONDS", 0.02)
    body = done()
    body["metadata"]["finalizers"] = ["solrbench.io/finalizer"]
    api.put(body)
    file = written(tmp_path, small("one"))
    result = call("run", "-f", file, "--replace", "--timeout", "200ms", code=1)
    assert "one is being deleted, held by: solrbench.io/finalizer" in result.stderr
    assert "check that the operator runs" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("command", ["report", "watch"])
def test_newer_benchmark_is_read_with_a_warning(command: str, api: ApiStub) -> None:
    body = done(summary={"verdict": "Valid", "novelty": 1}, results=[{"of": "tomorrow"}])
    body["spec"]["target"]["solrCloud"]["novelty"] = {"a": 1}
    body["spec"]["later"] = True
    body["spec"]["collection"]["replicas"] = {"nrt": 9}  # against a rule of this version
    api.put(body)
    result = call(command, "one", code=0)
    assert "default/one: Succeeded" in result.stdout
    assert "Warning: the benchmark is of another version; omitted: " in result.stderr
    assert "spec.later" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("30m", 1800), ("1h30m", 5400), ("500ms", 0.5), ("7", 7)]
)
def test_durations_are_those_of_go(text: str, seconds: float) -> None:
    assert DURATION.convert(text, None, None) == seconds


@pytest.mark.parametrize(
    "text", ["30x", "", "-1", "0", "m", "1m2", "1h or 30m", "5mm", "inf", "nan"]
)
def test_other_durations_are_wrong_use(text: str) -> None:
    result = call("watch", "one", f"--timeout={text}", code=2)
    assert "--timeout" in result.stderr


def test_namespace_of_option_and_file_must_agree(api: ApiStub, tmp_path: Path) -> None:
    body = small("one")
    body["metadata"]["namespace"] = "search"
    file = written(tmp_path, body)
    result = call("run", "-f", file, "-n", "other")
    assert_one_line(result, 1, "is in namespace search, and -n says other", f"{file}:")
    assert not api.sent("PATCH")


def test_objects_of_the_whole_cluster_get_no_namespace(api: ApiStub, tmp_path: Path) -> None:
    node = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "search"}}
    file = written(tmp_path, node, small("one"))
    assert call("run", "-f", file, "-n", "search", "--no-watch").exit_code == 0
    gate = call("run", "-f", file, "-n", "search", "--no-watch", "--require-valid")
    assert (gate.exit_code, "omit --no-watch" in gate.stderr) == (2, True)
    bodies = [body for _, body in api.sent("PATCH")]
    assert "namespace" not in bodies[0]["metadata"]
    assert bodies[1]["metadata"]["namespace"] == "search"


def test_fresh_benchmark_waits_without_a_colon_or_red(api: ApiStub) -> None:
    api.put(small("one"))
    result = call("report", "one", color=True)
    assert "  Waiting for the operator. If this lasts, run `solrbench preflight`." in result.stdout
    assert "31m" not in result.stdout


def test_name_that_the_server_completes(api: ApiStub, tmp_path: Path) -> None:
    body = small("one")
    body["metadata"] = {"generateName": "nightly-"}
    file = written(tmp_path, body)
    assert call("validate", "-f", file).stdout == "nightly-: valid\n"
    result = call("run", "-f", file, "--no-watch", "-o", "name")
    assert result.stdout == "solrbenchmark.solrbench.io/nightly-7xk2p\n"
    assert result.stderr == "SolrBenchmark nightly-7xk2p created\n"
    (created,) = (each for each in api.requests if each.method == "POST")
    assert created.url.params["fieldValidation"] == "Strict"


def test_nothing_is_applied_where_one_has_already_run(api: ApiStub, tmp_path: Path) -> None:
    api.put(done())
    file = written(tmp_path, small("two"), small("one"))
    assert_one_line(call("run", "-f", file), 1, "one has already run")
    assert not api.sent("PATCH")


END: Any = SUCCEEDED["conditions"][0]
MISSED = {"conditions": [END, END | {"type": "ObjectivesMet", "status": "False"}]}
GATE = ["--require-valid"]


def checked(verdict: str) -> dict[str, Any]:
    return SUCCEEDED | {"summary": {"verdict": verdict}}


@pytest.mark.parametrize(
    ("status", "options", "code"),
    [
        pytest.param(SUCCEEDED, [], 0, id="met"),
        pytest.param({"conditions": [END | {"status": "False"}]}, [], 1, id="failed"),
        pytest.param({"phase": "Measuring"}, ["--timeout", "300ms"], 3, id="timed out"),
        pytest.param(checked("Invalid"), GATE, 4, id="invalid"),
        pytest.param(checked("Inconclusive"), GATE, 4, id="inconclusive"),
        pytest.param(checked("Invalid"), [], 0, id="accepted"),
        pytest.param(checked("Valid"), GATE, 0, id="valid"),
        pytest.param(SUCCEEDED | MISSED, [], 5, id="missed"),
    ],
)
def test_watch_ends_with_the_exit_code_of_the_status(
    status: dict[str, Any], options: list[str], code: int, api: ApiStub
) -> None:
    api.put(small("one") | {"status": status})
    assert call("watch", "one", *options).exit_code == code


def test_benchmark_is_stopped_when_the_time_is_over(api: ApiStub) -> None:
    api.put(small("one") | {"status": {"phase": "Measuring"}})
    result = call("watch", "one", "--timeout", "200ms", "--cancel-on-timeout", code=3)
    assert "the benchmark is still running." in result.stderr
    assert "one is stopped; resume it: solrbench resume" in result.stderr
    assert [body for _, body in api.sent("PATCH")] == [{"spec": {"suspend": True}}]


def test_a_request_that_fails_as_the_time_ends_is_made_again(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solrbench.cli.run.STOP_PAUSE_SECONDS", 0.01)
    faults = [TemporaryError(ApiServerReason.API_UNREACHABLE, "restarts") for _ in range(3)]
    merge = Cluster.merge

    def fail_first(self: Cluster, *given: Any) -> Any:
        if faults:
            raise faults.pop()
        return merge(self, *given)

    monkeypatch.setattr(Cluster, "merge", fail_first)
    for name in ("one", "two"):
        api.put(small(name) | {"status": {"phase": "Measuring"}})
    result = call("watch", "one", "two", "--timeout", "200ms", "--cancel-on-timeout", code=3)
    assert result.stderr.count("restarts") == 3
    assert [body for _, body in api.sent("PATCH")] == [{"spec": {"suspend": True}}] * 2


def test_benchmark_that_is_over_but_exported_is_not_stopped(api: ApiStub) -> None:
    body = done(report={"storedSteps": 1})
    body["spec"]["results"] = {"export": {"persistentVolumeClaim": {"claimName": "exports"}}}
    api.put(body)
    result = call("watch", "one", "--timeout", "200ms", "--cancel-on-timeout", code=3)
    assert "the export is still running." in result.stderr
    assert not api.sent("PATCH")
    failed = {"conditions": [END | {"status": "False"}]}
    api.put(body | {"status": body["status"] | failed})
    assert "the export" in call("watch", "one", "--timeout", "200ms", code=1).stderr


def test_json_is_all_that_standard_output_gets(api: ApiStub) -> None:
    api.put(done())
    result = call("watch", "one", "-o", "json")
    assert json.loads(result.stdout)["metadata"]["name"] == "one"
    assert "default/one: Succeeded" in result.stderr


def test_time_is_that_of_all_benchmarks_together(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def follow(*arguments: Any, **_: Any) -> Any:
        given.append(arguments[2])
        return ExitCode.TIMED_OUT

    monkeypatch.setattr(run_module, "follow", follow)
    assert call("watch", "a", "b", "--timeout", "10s").exit_code == 3
    assert time.monotonic() < given[0] == given[1] <= time.monotonic() + 10


def test_one_that_is_deleted_meanwhile_does_not_end_the_watch_of_others(api: ApiStub) -> None:
    api.put(done())
    result = call("watch", "gone", "one", "-o", "json", code=1)
    assert "gone" in result.stderr
    assert "default/one: Succeeded" in result.stderr
    assert [each["metadata"]["name"] for each in json.loads(result.stdout)["items"]] == ["one"]


def test_interruption_has_a_code_of_its_own(api: ApiStub, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Iterator[None]:
        yield from ()
        raise KeyboardInterrupt

    api.put(small("one"))
    monkeypatch.setattr("solrbench.cli.follow.watch_states", interrupt)
    result = call("watch", "one", code=130)
    assert "is still running. Watch it again: solrbench watch -n default one" in result.stderr


def test_error_that_is_not_foreseen_is_no_traceback(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("what is that?")

    monkeypatch.setattr("solrbench.cli.run.follow", fail)
    said = "unexpected RuntimeError: what is that?"
    assert_one_line(call("watch", "one"), 1, said, "SOLRBENCH_DEBUG=1")
    monkeypatch.setenv("SOLRBENCH_DEBUG", "1")
    assert isinstance(call("watch", "one").exception, RuntimeError)


def test_several_are_printed_as_a_list(api: ApiStub, tmp_path: Path) -> None:
    file = written(tmp_path, small("one"), small("two"))
    found = json.loads(call("run", "-f", file, "--no-watch", "-o", "json").stdout)
    assert (found["apiVersion"], found["kind"]) == ("v1", "List")
    assert [each["metadata"]["name"] for each in found["items"]] == ["one", "two"]


def test_objects_of_one_file_are_applied_in_order(api: ApiStub, tmp_path: Path) -> None:
    file = written(tmp_path, config_map("queries"), small("one"))
    said = "ConfigMap queries applied\nSolrBenchmark one applied\n"
    assert call("run", "-f", file, "--no-watch").stdout == said


@pytest.mark.parametrize("typed", ["report onn", "watch onn", "compare onn x"])
def test_near_name_is_suggested(typed: str, api: ApiStub) -> None:
    api.put(done())
    assert_one_line(call(*typed.split()), 1, "onn", 'did you mean "one"?')


def test_missing_file_of_a_report_is_named(tmp_path: Path) -> None:
    assert_one_line(call("report", "none.json"), 1, "none.json", "No such file")
    assert_one_line(call("report", f"{tmp_path}/"), 1, "No such file", "report.json")


def test_file_that_cannot_be_written_is_one_line(api: ApiStub, tmp_path: Path) -> None:
    api.put(done())
    target = tmp_path / "missing" / "one.json"
    result = call("report", "one", "-o", "json", "--output-file", str(target))
    assert_one_line(result, 1, str(target), "check the path")


def test_list_is_yaml_of_the_same_as_json(api: ApiStub) -> None:
    api.put(done())
    found = yaml.safe_load(call("list", "-o", "yaml").stdout)
    assert found == json.loads(call("list", "-o", "json").stdout)
    assert found["items"][0]["metadata"]["name"] == "one"


@pytest.mark.parametrize("proxy", ["ftp://127.0.0.1:9", "socks4://127.0.0.1:9"])
def test_proxy_that_cannot_be_used_is_named(
    proxy: str, api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    assert_one_line(call("list"), 6, "HTTPS_PROXY, ALL_PROXY or proxy-url", "http://HOST:PORT")


def test_benchmark_that_has_run_is_replaced_only_if_asked_for(api: ApiStub, tmp_path: Path) -> None:
    api.put(done())
    file = written(tmp_path, small("one"))
    assert_one_line(call("run", file), 1, "report -n default one", "--replace")
    assert call("run", file, "--replace", "--no-watch").stdout == "SolrBenchmark one applied\n"
    assert len(api.sent("DELETE")) == 1


def test_a_resource_of_another_version_is_one_line() -> None:
    with (
        pytest.raises(click.ClickException, match=r"spec\.novelty: .*operator's version"),
        as_cli_errors(),
    ):
        SolrBenchmark.parse(resource({"spec.novelty": True}))
