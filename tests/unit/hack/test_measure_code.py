"""The shape of a tiny tree of code."""

from pathlib import Path

import pytest

from hack.measure_code import (
    Module,
    Row,
    count_kinds,
    find_private_functions,
    format_table,
    imports_tests,
    measure,
)

SHAPES = '''\
"""Shapes,

in two paragraphs."""

import math
from pathlib import (
    Path,
)

# Why it is so.
SIDES = 4
"""How many sides a square has."""
TEXT = """
# not a comment
"""


@decorated(
    True,
)
class Square:
    """A shape."""

    side: int  # a comment behind code

    @property
    def area(
        self,  # so far
    ) -> int:
        """Its size."""
        return _squared(self.side)


def _squared(side: int) -> int: return side**2


def _unused() -> None:
    _twice(_twice(1))


def _twice(number):
    def inner(): ...
    return number
'''


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "package/__init__.py": '"""A package."""\n',
        "package/shapes.py": SHAPES,
        "package/load/__init__.py": "",
        "package/load/master/deep/shapes.py": "class Square: ...\nclass Circle: ...\n",
        "package/load/long.py": 451 * "1\n",
        "tests/unit/test_a.py": "import json\n",
        "tests/unit/test_b.py": "from unit.test_a import json\nfrom support.test_data import x\n",
        "tests/unit/helper.py": "from support.test_data import test_x\n",
        "tests/support/test_data.py": "x = 1\n\n",
        "tests/e2e/test_c.py": "from unit import test_b\n",
        "bench/cost.py": "1\n2\n3\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def rows_of(tree: Path) -> dict[str, Row]:
    rows = measure(tree / "package", tree / "tests", tree / "bench")
    return {row.title.strip(): row for row in rows}


def test_every_line_is_of_one_kind() -> None:
    module = Module("shapes.py", SHAPES)
    counts = count_kinds(module)
    assert counts == {
        "docstrings": 3 + 1 + 1 + 1,
        "imports": 4,
        "comments": 1,
        "signatures": 4 + 1 + 3 + 1 + 1 + 1 + 1,
        "code": 1 + 3 + 1 + 1 + 1 + 1,
        "blank": 12,
    }
    assert counts.total() == module.size


def test_uses_of_private_functions_are_counted() -> None:
    module = Module("shapes.py", SHAPES)
    assert find_private_functions(module) == {"_squared": 1, "_unused": 0, "_twice": 2}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import unit.test_a", True),
        ("import unit.test_a as one", True),
        ("from unit.test_a import run", True),
        ("from unit import helpers, test_a", True),
        ("from . import test_a", True),
        ("def late():\n    from .test_a import run", True),
        ("from unit.contest_ import attest_", False),
        ("from support.results import test_a", False),
        ("from solrbench.solr.client import test_connection", False),
        ("import json", False),
    ],
)
def test_import_of_a_test_is_noticed(line: str, expected: bool) -> None:
    assert imports_tests(Module("test_b.py", line)) is expected


def test_table_counts_modules_names_and_tests(tree: Path) -> None:
    rows = rows_of(tree)
    found = {title: row.value for title, row in rows.items()}
    package = SHAPES.count("\n") + 1 + 2 + 451
    expected = {
        "modules with __init__": "5",
        "modules without __init__": "3",
        "folders": "2",
        "levels below a package": "2",
        "lines of a file, median": f"{SHAPES.count(chr(10))}",
        "files below 60 lines": "2",
        "files above 450 lines": "1",
        "lines of the package": f"{package}",
        "functions": "5",
        "classes": "3",
        "class names in several modules": "1",
        "private functions used once": "1",
        "unit test modules": "2",
        "tests that import tests": "2",
        "lines of tests": "7",
        "of tests/support": "2",
        "lines of bench": "3",
    }
    assert {title: found[title] for title in expected} == expected
    assert rows["levels below a package"].note == "load/master/deep"
    assert rows["files above 450 lines"].names == ("load/long.py (451)",)
    squares = "Square: load/master/deep/shapes.py, shapes.py"
    assert rows["class names in several modules"].names == (squares,)
    assert rows["tests that import tests"].names == ("e2e/test_c.py", "unit/test_b.py")


def test_table_has_eighty_columns_and_names_on_demand(tree: Path) -> None:
    rows = [*rows_of(tree).values(), Row("long", "1", 50 * "word ", (30 * "name ",))]
    assert all(len(line) <= 80 for line in format_table(rows, names=True).splitlines())
    assert "load/long.py (451)" in format_table(rows, names=True)
    assert "load/long.py (451)" not in format_table(rows)


def test_folders_that_do_not_exist_count_nothing(tree: Path) -> None:
    found = {row.title: row.value for row in measure(tree / "no", tree / "no", tree / "no")}
    assert found["modules with __init__"] == found["lines of tests"] == "0"
