"""The index of the documentation, docs/README.md, as data, and llms.txt made of it."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs/README.md"
SOURCE = "https://github.com/solrbench/solrbench/blob/main"
RAW = "https://raw.githubusercontent.com/solrbench/solrbench/main"
_ROW = re.compile(r"^\| (\[.*\)) \| (.*) \|$")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
SUMMARY = (
    "A Kubernetes operator and a command line that benchmark SolrCloud topologies: one resource"
    " describes target, documents, load and objectives; results come with confidence intervals, a"
    " verdict on their validity and the bottleneck."
)


@dataclass(frozen=True)
class Entry:
    """One page of the index: its title, its path below the root, and the question it answers."""

    title: str
    path: str
    question: str


@dataclass(frozen=True)
class Section:
    """A heading of the index with its pages."""

    title: str
    entries: list[Entry] = field(default_factory=list)


def sections() -> list[Section]:
    """Return the sections of docs/README.md in their order."""
    found: list[Section] = []
    for line in INDEX.read_text("utf-8").splitlines():
        if line.startswith("## "):
            found.append(Section(line.removeprefix("## ")))
        elif row := _ROW.match(line):
            for title, target in _LINK.findall(row[1]):
                path = (INDEX.parent / target.partition("#")[0]).resolve().relative_to(ROOT)
                found[-1].entries.append(Entry(title, path.as_posix(), row[2]))
    return found


def render_llms() -> str:
    """Return llms.txt (llmstxt.org): the pages as plain Markdown, each with its question."""
    parts = [f"# solrbench\n\n> {SUMMARY}\n"]
    for section in sections():
        lines = [_line(entry) for entry in section.entries]
        parts.append(f"## {section.title}\n\n" + "".join(lines))
    return "\n".join(parts)


def _line(entry: Entry) -> str:
    place = RAW if entry.path.endswith(".md") else SOURCE.replace("/blob/", "/tree/")
    title = entry.title[0].upper() + entry.title[1:]
    return f"- [{title}]({place}/{entry.path}): {entry.question}\n"
