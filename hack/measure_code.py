#!/usr/bin/env python3
"""Print the shape of the code as one table: hack/measure_code.py [PACKAGE_DIR] [--names].

Every line of the package is of one kind. Docstrings are strings that stand alone, also below a
constant; signatures are decorators and the heads of functions and classes; code is what remains:
statements and declarations of fields. Names are modules, classes and functions.
"""

import argparse
import ast
import io
import textwrap
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
WIDTH = 80
FEW_LINES, MANY_LINES = 60, 450
KINDS = ("code", "docstrings", "imports", "signatures", "blank", "comments")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """One file of Python, `name` being its path below the folder that is measured."""

    name: str
    text: str

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the syntax tree; the first is the module."""
        return list(ast.walk(ast.parse(self.text, self.name)))

    @property
    def is_init(self) -> bool:
        """Whether the file only makes a folder a package."""
        return Path(self.name).name == "__init__.py"

    @property
    def size(self) -> int:
        """The number of lines."""
        return len(self.text.splitlines())

    @property
    def classes(self) -> list[str]:
        """The names of all classes, also of those inside others."""
        return [node.name for node in self.nodes if isinstance(node, ast.ClassDef)]

    @property
    def functions(self) -> int:
        """The number of functions and methods, also of those inside others."""
        return sum(isinstance(node, FUNCTIONS) for node in self.nodes)


@dataclass(frozen=True)
class Row:
    """A line of the table; `names` are listed below it on demand."""

    title: str
    value: str
    note: str = ""
    names: tuple[str, ...] = ()


def read_modules(folder: Path) -> list[Module]:
    """Return the modules below a folder by path; none where there is no such folder."""
    return [
        Module(path.relative_to(folder).as_posix(), path.read_text("utf-8"))
        for path in sorted(folder.rglob("*.py"))
    ]


def count_kinds(module: Module) -> Counter[str]:
    """Return how many lines of a module are of each of `KINDS`; together they are all its lines."""
    docstrings, imports, signatures = set[int](), set[int](), set[int]()
    for node in module.nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports |= _lines_of(node)
        elif isinstance(node, ast.Expr) and _is_text(node.value):
            docstrings |= _lines_of(node)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            # A body on the line of its head has no line of its own.
            signatures |= set(range(node.lineno, max(node.body[0].lineno, node.lineno + 1)))
            signatures.update(*map(_lines_of, node.decorator_list))
    comments = _comment_lines(module)
    counts = Counter[str]()
    for number, line in enumerate(module.text.splitlines(), 1):
        if number in docstrings:
            counts["docstrings"] += 1
        elif not line.strip():
            counts["blank"] += 1
        elif number in comments:
            counts["comments"] += 1
        elif number in imports:
            counts["imports"] += 1
        else:
            counts["signatures" if number in signatures else "code"] += 1
    return counts


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _lines_of(node: ast.stmt | ast.expr) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _comment_lines(module: Module) -> set[int]:
    # By tokens: a line that begins with "#" may also be a part of a string.
    return {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline)
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    }


def find_repeated_classes(modules: list[Module]) -> dict[str, list[str]]:
    """Return the class names that exist in more than one module, with those modules."""
    places = defaultdict[str, list[str]](list)
    for module in modules:
        for name in sorted(set(module.classes)):
            places[name].append(module.name)
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def find_private_functions(module: Module) -> dict[str, int]:
    """Return how often a module uses each private function that stands at its top level."""
    uses = Counter(node.id for node in module.nodes if isinstance(node, ast.Name))
    uses.update(node.attr for node in module.nodes if isinstance(node, ast.Attribute))
    tree = module.nodes[0]
    body = tree.body if isinstance(tree, ast.Module) else []
    names = (node.name for node in body if isinstance(node, FUNCTIONS))
    return {
        name: uses[name] for name in names if name.startswith("_") and not name.startswith("__")
    }


def imports_tests(module: Module) -> bool:
    """Return whether a module of the tests imports another test, by whatever form."""
    imported: list[str] = []
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom):
            imported += [f"{node.module or ''}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
    # Below "support" are no tests, whatever its modules and functions are called.
    return any(
        part.startswith("test_")
        for name in imported
        if name.split(".")[0] not in {"support", "solrbench"}
        for part in name.split(".")
    )


def measure(package: Path, tests: Path, bench: Path) -> Iterator[Row]:
    """Return the rows of the table."""
    modules = read_modules(package)
    kinds = sum(map(count_kinds, modules), Counter[str]())
    yield from _sizes(modules)
    yield from _lines(kinds)
    yield from _names(modules, kinds["code"])
    yield from _tests(read_modules(tests))
    yield Row("lines of bench", f"{_total(read_modules(bench)):,}")


def _sizes(modules: list[Module]) -> Iterator[Row]:
    files = [module for module in modules if not module.is_init]
    folders = {Path(module.name).parent for module in modules} - {Path()}
    # A package is a folder of the outermost one: "load/master" is one level below "load".
    deepest = min(folders, key=lambda folder: (-len(folder.parts), folder), default=Path())
    small = [module for module in files if module.size < FEW_LINES]
    large = [module for module in files if module.size > MANY_LINES]
    yield Row("modules with __init__", f"{len(modules):,}")
    yield Row("modules without __init__", f"{len(files):,}")
    yield Row("folders", f"{len(folders):,}")
    yield Row("levels below a package", str(max(0, len(deepest.parts) - 1)), deepest.as_posix())
    middle = median(module.size for module in files) if files else 0
    yield Row("lines of a file, median", f"{middle:,.0f}", "without __init__")
    yield Row(f"files below {FEW_LINES} lines", f"{len(small):,}", names=_with_sizes(small))
    yield Row(f"files above {MANY_LINES} lines", f"{len(large):,}", names=_with_sizes(large))


def _lines(kinds: Counter[str]) -> Iterator[Row]:
    lines = kinds.total()
    yield Row("lines of the package", f"{lines:,}")
    for kind in KINDS:
        yield Row(f"  {kind}", f"{kinds[kind]:,}", f"{100 * kinds[kind] / max(lines, 1):.1f} %")


def _names(modules: list[Module], code: int) -> Iterator[Row]:
    classes = sum(len(module.classes) for module in modules)
    functions = sum(module.functions for module in modules)
    repeated = find_repeated_classes(modules)
    private = [uses for module in modules for uses in find_private_functions(module).values()]
    yield Row("functions", f"{functions:,}")
    yield Row("classes", f"{classes:,}")
    names = len(modules) + classes + functions
    yield Row("names per 1,000 lines of code", f"{1000 * names / max(code, 1):,.0f}")
    yield Row(
        "class names in several modules",
        f"{len(repeated):,}",
        names=tuple(f"{name}: {', '.join(places)}" for name, places in repeated.items()),
    )
    yield Row(
        "private functions used once", f"{private.count(1):,}", f"of {len(private):,} at top level"
    )


def _tests(modules: list[Module]) -> Iterator[Row]:
    unit = [each for each in modules if _is_test(each) and each.name.startswith("unit/")]
    importing = [module for module in modules if imports_tests(module)]
    support = [module for module in modules if module.name.startswith("support/")]
    yield Row("unit test modules", f"{len(unit):,}")
    yield Row(
        "tests that import tests",
        f"{len(importing):,}",
        names=tuple(module.name for module in importing),
    )
    yield Row("lines of tests", f"{_total(modules):,}")
    yield Row("  of tests/support", f"{_total(support):,}")


def _is_test(module: Module) -> bool:
    return Path(module.name).name.startswith("test_")


def _total(modules: list[Module]) -> int:
    return sum(module.size for module in modules)


def _with_sizes(modules: list[Module]) -> tuple[str, ...]:
    return tuple(f"{module.name} ({module.size})" for module in modules)


def format_table(rows: list[Row], *, names: bool = False) -> str:
    """Return the rows at `WIDTH` columns; with `names`, a list below each row that has one."""
    title = max(len(row.title) for row in rows)
    value = max(len(row.value) for row in rows)
    lines: list[str] = []
    for row in rows:
        line = f"{row.title:<{title}}  {row.value:>{value}}"
        room = WIDTH - len(line) - 2
        lines.append(f"{line}  {textwrap.shorten(row.note, room)}".rstrip())
        for name in row.names if names else ():
            lines += textwrap.wrap(name, WIDTH, initial_indent="    ", subsequent_indent="      ")
    return "\n".join(lines)


def main() -> None:
    """Print the table of the package that the arguments name."""
    parser = argparse.ArgumentParser(description="Print the shape of the code as one table.")
    parser.add_argument(
        "package",
        type=Path,
        nargs="?",
        default=ROOT / "operator/src/solrbench",
        metavar="PACKAGE_DIR",
        help="default: operator/src/solrbench",
    )
    parser.add_argument(
        "--tests", type=Path, metavar="DIR", default=ROOT / "tests", help="default: tests"
    )
    parser.add_argument(
        "--bench", type=Path, metavar="DIR", default=ROOT / "bench", help="default: bench"
    )
    parser.add_argument(
        "--names", action="store_true", help="list the files and classes behind the numbers"
    )
    arguments = parser.parse_args()
    rows = list(measure(arguments.package, arguments.tests, arguments.bench))
    if rows[0].value == "0":
        parser.error(f"{arguments.package} holds no Python module; name the folder of a package")
    print(format_table(rows, names=arguments.names))


if __name__ == "__main__":
    main()
