"""What a newcomer meets: every verb without cluster, context, rights, definitions or operator."""

import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from solrbench.cli.main import COMMANDS
from support.cluster.benchmarks import small
from support.servers.api_stub import ApiStub, status, write_kubeconfig
from unit.cli.conftest import assert_one_line, call, ready, written

VERBS = {
    "run": ["run", "one.yaml", "--timeout", "1s"],
    "watch": ["watch", "sbench/one", "--timeout", "1s"],
    "list": ["list"],
    "report": ["report", "one"],
    "compare": ["compare", "one", "two"],
    "logs": ["logs", "one"],
    "open": ["open", "one", "--report"],
    "stop": ["stop", "one"],
    "resume": ["resume", "one"],
    "delete": ["delete", "--yes", "one"],
    "export": ["export", "one", "--to", "one.tar.gz"],
}
"""That cannot do anything without a cluster."""
ANSWERS = {"preflight", "plan", "version"}
"""That say what they know."""


@pytest.fixture(autouse=True)
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, small("one"), name="one.yaml")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


OFFLINE = {"init", "validate", "log", "completion"}


def test_each_command_is_tried() -> None:
    shown = {name for name, entry in COMMANDS.items() if not entry.is_hidden}
    assert shown == VERBS.keys() | ANSWERS | OFFLINE


FORBIDDEN = status(403, 'User "ann" cannot list resource "solrbenchmarks"')


def forbidden(api: ApiStub) -> None:
    api.responses["*"] = FORBIDDEN


def forbidden_benchmarks(api: ApiStub) -> None:
    api.responses["/apis/solrbench.io/v1alpha1/namespaces"] = FORBIDDEN


def unauthorized(api: ApiStub) -> None:
    api.responses["*"] = status(401, "Unauthorized")


def without_definition(api: ApiStub) -> None:
    del api.groups["/apis/solrbench.io/v1alpha1"]


def without_cluster(api: ApiStub) -> None:
    write_kubeconfig(Path(os.environ["KUBECONFIG"]), "http://127.0.0.1:9")


SITUATIONS: dict[str, tuple[Callable[[ApiStub], None], str, int]] = {
    "no cluster": (without_cluster, "http://127.0.0.1:9 does not respond: .*refused; check", 6),
    "no rights": (forbidden, 'not allowed: .*User "ann" .*; ask for a role that permits it', 1),
    "no benchmarks": (forbidden_benchmarks, 'not allowed: .*User "ann" .*; ask for a role', 1),
    "no login": (unauthorized, "not logged in to stub: .*Unauthorized; renew the credentials", 6),
    "no definition": (without_definition, "SolrBenchmark is not installed in .*; install", 1),
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("verb", VERBS)
def test_cluster_that_cannot_be_used_is_one_line_with_a_remedy(
    verb: str, situation: str, api: ApiStub
) -> None:
    prepare, said, code = SITUATIONS[situation]
    prepare(api)
    line = assert_one_line(call(*VERBS[verb]), code)
    assert re.search(said, line), line


FIRST = {
    "plan": ["plan", "one.yaml"],
    "preflight": ["preflight", "-f", "one.yaml"],
    "validate": ["validate", "one.yaml"],
    "version": ["version"],
}
"""That a newcomer calls before there is a result; tables of results have tests of their own."""


@pytest.mark.parametrize(("width", "theme"), [(80, "dark"), (120, "light"), (80, "NO_COLOR")])
def test_no_line_is_wider_than_the_terminal(
    width: int, theme: str, api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solrbench.cli.errors.sys", SimpleNamespace(stderr=Terminal()))
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("COLORFGBG", {"dark": "15;0", "light": "0;15"}.get(theme, ""))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1" if theme == "NO_COLOR" else "")
    ready(api)
    outputs = [call(*words).output for words in FIRST.values()]
    for prepare in (forbidden, without_cluster):
        prepare(api)
        outputs += [call(*words).output for words in (*VERBS.values(), *FIRST.values())]
    assert all(outputs)
    lines = [click.unstyle(line) for output in outputs for line in output.splitlines()]
    assert "\n".join(line for line in lines if len(line) > width) == ""


@pytest.mark.parametrize("verb", ["plan", "preflight", *VERBS])
def test_context_that_there_is_not_is_one_line_with_those_that_are(verb: str, api: ApiStub) -> None:
    result = call(*VERBS.get(verb, [verb, "one.yaml"]), "--context", "other")
    assert_one_line(result, 6, "the kubeconfig has no context other; it has: ")


@pytest.mark.parametrize("verb", sorted(set(VERBS) - {"run", "list"}))
def test_name_that_there_is_not_is_one_line_with_a_remedy(verb: str, api: ApiStub) -> None:
    ready(api)
    line = assert_one_line(call(*VERBS[verb]), 1, "one")
    assert "NotFound" not in line
    assert line.endswith("; see solrbench list -A")


def test_plan_without_room_has_a_line_for_each_kind_of_pod(api: ApiStub) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "spec": {}}
    api.put(node | {"status": {"allocatable": {"cpu": "4", "memory": "256Mi", "pods": "20"}}})
    done = call("plan", "one.yaml", code=1)
    lines = [line for line in done.stdout.splitlines() if line.startswith("  cluster: ")]
    *kinds, left = lines
    assert {line.split()[6] for line in kinds} >= {"solr", "zookeeper"}
    assert left == "  cluster: n1 has 4 cores and 0.25 GiB left"
    assert max(map(len, done.stdout.splitlines())) <= 80
    done = call("preflight", "one.yaml")
    room = [line for line in done.stdout.splitlines() if "capacity:" in line]
    assert len(room) == len(lines)
    assert room[-1].endswith("n1 has 4 cores and 0.25 GiB left; add nodes, or ask for less")


def test_preflight_without_rights_says_what_to_ask_for(api: ApiStub) -> None:
    forbidden(api)
    lines = call("preflight").stdout.splitlines()
    assert lines
    assert all(line.startswith("unknown") and "; ask for a role" in line for line in lines)
