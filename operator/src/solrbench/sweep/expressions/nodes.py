"""The parts that an expression consists of; `at` is the character that an error names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Literal:
    """A number, text, boolean or null."""

    at: int
    value: Any


@dataclass(frozen=True)
class Items:
    """A list of expressions."""

    at: int
    items: Sequence["Node"]


@dataclass(frozen=True)
class Point:
    """The point: its values by the names of the axes."""

    at: int


@dataclass(frozen=True)
class Element:
    """`of[key]`, and `of.key`."""

    at: int
    of: "Node"
    key: "Node"


@dataclass(frozen=True)
class Call:
    """A function with its arguments; of a method, the first one is what it is called on."""

    at: int
    function: str
    arguments: Sequence["Node"]


@dataclass(frozen=True)
class Unary:
    """`!value` and `-value`."""

    at: int
    operator: str
    value: "Node"


@dataclass(frozen=True)
class Binary:
    """Two values with an operator between."""

    at: int
    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class Choice:
    """`condition ? yes : no`."""

    at: int
    condition: "Node"
    yes: "Node"
    no: "Node"


Node = Literal | Items | Point | Element | Call | Unary | Binary | Choice
