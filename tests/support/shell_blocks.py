"""Fenced blocks of the pages: what a reader types, saves to a file, or sees."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from support.repository import ROOT

_FOLDERS = ("*.md", "bench/*.md", "charts/*/*.md", "docs/**/*.md", "examples/**/*.md")
PAGES = sorted(page for pattern in _FOLDERS for page in ROOT.glob(pattern))
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
SHELL = ("sh", "bash", "console")
_FENCE = re.compile(r"^```(\w+)?(?: title=\"([^\"]+)\")?$")
_WORDS_BEFORE = ("if", "then", "else", "do", "while", "!")
"""Of the shell, between the beginning of a line and the program that it calls."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it is to be saved as, lines, and line of the fence."""

    language: str
    title: str
    text: str
    line: int

    @property
    def is_shell(self) -> bool:
        return self.language in SHELL and not self.title

    @property
    def script(self) -> str:
        """What is typed: of `console` blocks only the lines behind a prompt."""
        if self.language != "console":
            return self.text
        typed = [each for each in self.text.splitlines() if each.startswith("$ ")]
        return "".join(f"{each.removeprefix('$ ')}\n" for each in typed)


def blocks_of(page: Path) -> list[Block]:
    found: list[Block] = []
    opened: tuple[int, str, str] | None = None
    content: list[str] = []
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if opened is None:
            fence = _FENCE.match(line)
            if fence:
                opened, content = (number, fence[1] or "", fence[2] or ""), []
        elif line == "```":
            start, language, title = opened
            found.append(Block(language, title, "\n".join(content) + "\n", start))
            opened = None
        else:
            content.append(line)
    assert opened is None, f"{page}: a block has no end"
    return found


def shell_blocks() -> list[tuple[Path, Block]]:
    return [(page, block) for page in PAGES for block in blocks_of(page) if block.is_shell]


def save_files(page: Path, folder: Path) -> list[Path]:
    """Write the blocks that the reader saves, and link what the clone has; return the files."""
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(ROOT / "examples")
    files = []
    for block in blocks_of(page):
        if block.title:
            files.append(folder / block.title)
            files[-1].write_text(block.text, "utf-8")
    return files


def script_of(page: Path, lines: int | None = None) -> str:
    """Return what the suite runs of a page's first lines, as a script that stops at a failure."""
    parts = ["set -euo pipefail"]
    for block in blocks_of(page):
        if block.is_shell and (lines is None or block.line <= lines):
            parts += [f"echo '+++ {page.name}:{block.line}'", block.text]
    return "\n".join(parts)


def commands_of(block: Block) -> list[list[str]]:
    """Return the words of each command of a shell block; variables and redirections stay words."""
    found = []
    for line in block.script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
        lexer.whitespace_split = True
        lexer.commenters = "#" if line.startswith("#") or " #" in line else ""
        words: list[str] = []
        for word in [*lexer, ";"]:
            if word and not set(word) - set(";&|"):
                found += [words] if words else []
                words = []
            elif words or word not in _WORDS_BEFORE:
                words.append(word)
    return [words for words in map(_without_environment, found) if words]


def _without_environment(words: list[str]) -> list[str]:
    while words and re.match(r"[A-Za-z_]+=", words[0]):
        words = words[1:]
    return words


def arguments_of(words: list[str]) -> list[str]:
    """Return the arguments of a command without its redirections."""
    kept: list[str] = []
    skip = False
    for word in words[1:]:
        if skip or re.match(r"\d?[<>]", word):
            skip = not skip and re.fullmatch(r"\d?[<>]+", word) is not None
            continue
        kept.append(word)
    return kept
