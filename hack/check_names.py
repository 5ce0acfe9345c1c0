#!/usr/bin/env python3
"""Refuse words in names that the code has a term of the field for.

`hack/dialect.txt` has the words that no text may have; a word here is plain English, and only as
a part of a name is it the wrong one. A constant begins with MAX or MIN, not with MOST or LEAST.

Prints one line for each name, and exits with 1 if there is any.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

TERMS = {
    "bracket": "search interval",
    "swings": "autocorrelation",
    "worth": "effective sample size",
}
FIRST = {"MOST": "MAX", "LEAST": "MIN"}
FOLDERS = ("operator/src/solrbench", "bench", "hack")


def defined_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each name that a module gives to something."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case _:  # gives nothing a name
                pass


def find_problem(name: str) -> str | None:
    """Return what is wrong with a name, and the term instead; None if nothing is."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    if name.isupper() and words[:1] and words[0] in FIRST:
        return f"{name} begins with {words[0]}; begin with {FIRST[words[0]]}"
    for word in words:
        if TERMS.get(word.lower()):
            return f"{name} has the word {word}; the term is {TERMS[word.lower()]}"
    return None


def main(root: Path) -> int:
    """Print the problems of all Python files below the folders; return the exit code."""
    problems = [
        f"{path.relative_to(root)}:{line}: {problem}"
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*.py"))
        for line, name in sorted(set(defined_names(ast.parse(path.read_text("utf-8")))))
        if (problem := find_problem(name)) is not None
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parents[1]))
