"""Which test runs a shell block: with all its commands as they are written, or not at all."""

from enum import StrEnum
from pathlib import Path

from support.shell_blocks import TUTORIALS, Block, commands_of, shell_blocks

_API_SERVER_PROGRAMS = {"base64", "gzip", "helm", "jq", "kubectl", "python3", "solrbench"}
_BEYOND_API_SERVER = {"cp", "dependency", "krew", "logs", "open"}
"""Words of commands that need more than that: containers, a registry of charts, a browser."""
_RECORDED = {"compare", "log", "report"}
"""Verbs that read results or logs."""


class Runner(StrEnum):
    """A test module that runs blocks."""

    TUTORIALS = "tests/docs/test_tutorials.py"
    RECORDED = "tests/unit/docs/test_recorded_blocks.py"
    API_SERVER = "tests/integration/test_page_commands.py"


def find_runner(page: Path, block: Block) -> Runner | None:
    """Return the module that runs a block, the cheapest one; `None` if it is only read."""
    if page in TUTORIALS and page.stem != "README":
        return Runner.TUTORIALS
    commands = commands_of(block)
    if not commands:
        return None
    if all(map(_reads_recorded, commands)):
        return Runner.RECORDED
    if all(map(_needs_api_server_alone, commands)):
        return Runner.API_SERVER
    return None


def blocks_run_by(runner: Runner) -> list[tuple[Path, Block]]:
    return [(page, block) for page, block in shell_blocks() if find_runner(page, block) is runner]


def as_solrbench(words: list[str]) -> list[str]:
    """Return a command of solrbench as `solrbench VERB ...`, whatever it is called by; else []."""
    words = words[words[:1] == ["kubectl"] :]
    name = words[0].rpartition("/")[2] if words else ""
    return ["solrbench", *words[1:]] if name == "solrbench" else []


def _reads_recorded(words: list[str]) -> bool:
    """Return whether a command reads results or logs, of one benchmark or of files."""
    verb, *rest = [*as_solrbench(words)[1:], ""]
    return verb in _RECORDED and not any(each.startswith(("ssweep/", ">", "NAME")) for each in rest)


def _needs_api_server_alone(words: list[str]) -> bool:
    return words[0] in _API_SERVER_PROGRAMS and not _BEYOND_API_SERVER & set(words)
