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
    """Return llms.txt (llmstxt.org): the pages as plain Markdown, each with its question.

    The pages of a folder follow its own; decisions, which explain the code, are optional.
    """
    parts = [f"# solrbench\n\n> {SUMMARY}\n"]
    optional = ["- [Changelog](" + f"{RAW}/CHANGELOG.md): What has changed?\n"]
    for section in sections():
        lines = []
        for entry in section.entries:
            lines.append(_line(entry))
            kept = optional if entry.path.startswith("docs/adr/") else lines
            kept += [_line(page) for page in _pages_below(entry)]
        parts.append(f"## {section.title}\n\n" + "".join(lines))
    return "\n".join([*parts, "## Optional\n\n" + "".join(optional)])


def _pages_below(entry: Entry) -> list[Entry]:
    """Return the other pages of a folder in docs/ whose README is in the index."""
    place = ROOT / entry.path
    if place.name != "README.md" or not entry.path.startswith("docs/"):
        return []
    pages = sorted(page for page in place.parent.glob("*.md") if page != place)
    return [
        Entry(title_of(page), page.relative_to(ROOT).as_posix(), entry.question) for page in pages
    ]


def title_of(page: Path) -> str:
    """Return the heading of a page."""
    return page.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def _line(entry: Entry) -> str:
    place = RAW if entry.path.endswith(".md") else SOURCE.replace("/blob/", "/tree/")
    title = entry.title[0].upper() + entry.title[1:]
    return f"- [{title}]({place}/{entry.path}): {entry.question}\n"
