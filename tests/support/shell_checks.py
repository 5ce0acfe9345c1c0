"""What can be said about a command of a page without a cluster and without a network.

Each checker returns nothing where verb, options, files, targets and names of a command are there,
and else what is wrong. A program without a checker is not checked: `check` returns `UNCHECKED`.
"""

import itertools
import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import click
import yaml

from solrbench.cli.main import main
from support.repository import ROOT
from support.shell_blocks import arguments_of

UNCHECKED = "no checker"
_VERBS = {
    "apply",
    "config",
    "cp",
    "create",
    "delete",
    "describe",
    "get",
    "krew",
    "logs",
    "patch",
    "wait",
}
_KINDS = {"configmap", "events", "generic", "pod", "secret", "set-context"}
"""Of Kubernetes, and words that stand in their place; ours are those of the definitions."""
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_PLACEHOLDER = re.compile(r"[A-Z]+|<.*>|.*\$.*")


def check(words: list[str]) -> str | None:
    """Return what is wrong with a command, None if nothing is, `UNCHECKED` if it is unknown."""
    program = words[0].rpartition("/")[2] if words[0].startswith(".venv/") else words[0]
    if program in {"export", "echo", "eval", "test", "fi"}:
        return None
    if (ROOT / program).is_file():
        return None if (ROOT / program).stat().st_mode & 0o111 else f"{program} is not executable"
    checker = _CHECKERS.get(program)
    return UNCHECKED if checker is None else checker(words)


def _solrbench(words: list[str]) -> str | None:
    command = main.get_command(None, words[1])  # type: ignore[arg-type]
    if command is None:
        return f"no command {words[1]}"
    arguments = arguments_of(words)[1:]
    try:
        # Converts every value, and asks for files that must be there.
        command.make_context(words[1], arguments)
    except click.UsageError as error:
        return error.format_message()
    return None


def _make(words: list[str]) -> str | None:
    text = (ROOT / "Makefile").read_text("utf-8")
    for word in words[1:]:
        name, is_variable, _ = word.partition("=")
        pattern = rf"\b{name}\b" if is_variable else rf"^{name}:"
        if not re.search(pattern, text, re.MULTILINE):
            return f"no {word} in the Makefile"
    return None


@cache
def _kinds() -> set[str]:
    found = set(_KINDS)
    for file in (ROOT / "crds").glob("*.yaml"):
        names = yaml.safe_load(file.read_text("utf-8"))["spec"]["names"]
        found |= {names["singular"], names["plural"], *names["shortNames"]}
    return found


def _kubectl(words: list[str]) -> str | None:
    plain = list(_without_options(words[1:], {"-n", "--namespace", "-f", "-o", "-l", "-p"}))
    if plain[:1] == ["solrbench"]:
        return _solrbench(plain)
    if plain[0] not in _VERBS:
        return f"unknown verb {plain[0]}"
    named = plain[1:2] if plain[0] not in {"apply", "cp", "krew", "logs"} else []
    for kind in (each for word in named for each in word.partition("/")[0].split(",")):
        if kind not in _kinds():
            return f"unknown kind {kind}"
    return _files(value for option, value in itertools.pairwise(words) if option == "-f")


def _without_options(words: list[str], with_value: set[str]) -> Iterable[str]:
    value = False
    for word in words:
        if not word.startswith("-") and not value:
            yield word
        value = word in with_value


def _files(values: Iterable[str]) -> str | None:
    missing = [each for each in values if not (Path(each).exists() or _PLACEHOLDER.fullmatch(each))]
    return f"no file {missing[0]}" if missing else None


def _helm(words: list[str]) -> str | None:
    plain = list(_without_options(words[1:], {"--namespace", "--set", "--timeout", "-n"}))
    if plain[0] not in {"dependency", "install", "test", "uninstall", "upgrade"}:
        return f"unknown verb {plain[0]}"
    charts = [ROOT / each for each in plain if each.startswith("charts/")]
    if problem := _files(map(str, charts)):
        return problem
    settings = [value for option, value in itertools.pairwise(words) if option == "--set"]
    for setting in settings:
        chart, path = charts[0], setting.partition("=")[0].split(".")
        if path[0].startswith("solr-benchmark-"):  # a value of the chart below
            chart, path = ROOT / "charts" / path[0], path[1:]
        node = yaml.safe_load((chart / "values.yaml").read_text("utf-8"))
        for part in path:
            if part not in node:
                return f"no value {setting}"
            node = node[part]
    return None


def _pip(words: list[str]) -> str | None:
    for word in words:
        if extras := re.fullmatch(r"(?:\.|solrbench)\[(\w+)\]", word):
            known = _PROJECT["optional-dependencies"]
            return None if extras[1] in known else f"no extra {extras[1]}"
    return None if words[1] in {"install", "download"} else f"unknown verb {words[1]}"


def _python(words: list[str]) -> str | None:
    module = Path(*words[2].split(".")).with_suffix(".py") if words[1] == "-m" else Path(words[1])
    return None if (ROOT / module).is_file() else f"no {module}"


_CHECKERS: dict[str, Callable[[list[str]], str | None]] = {
    "helm": _helm,
    "kubectl": _kubectl,
    "make": _make,
    "pip": _pip,
    "pipx": _pip,
    "python": _python,
    "python3": _python,
    "solrbench": _solrbench,
}
