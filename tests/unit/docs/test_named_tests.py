"""Tests that pages name as proof: each is there, and no statement is left without."""

import re
from pathlib import Path

import pytest

from support.repository import ROOT

PAGES = sorted(page for page in ROOT.glob("docs/**/*.md") if "| Held by |" in page.read_text())
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def statements(page: Path) -> list[tuple[str, str]]:
    """Return the rows of all tables whose second column is "Held by"."""
    found, inside = [], False
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        inside = (inside or cells[-1:] == ["Held by"]) and line.startswith("|")
        if inside and len(cells) == 2 and cells[1] not in {"Held by", "---"}:
            found.append((cells[0], cells[1]))
    return found


def test_clouds_are_described_by_statements_with_and_without_a_test() -> None:
    held = [held for _, held in statements(ROOT / "docs/clouds.md")]
    assert len([each for each in held if _NAMED.match(each)]) >= 18
    assert len([each for each in held if each.startswith("not tested")]) >= 8


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_statement_names_a_test_that_there_is_or_none(page: Path) -> None:
    for statement, held in statements(page):
        named = _NAMED.fullmatch(held)
        assert named or held.startswith("not tested"), statement
        if named:
            text = (ROOT / named[1]).read_text("utf-8")
            assert not named[2] or f"\ndef {named[2]}(" in text, statement
