"""Kubernetes quantities (`512Mi`, `2Gi`, `500m`) as numbers."""

import re
from decimal import Decimal

MEMORY_PATTERN = r"[1-9][0-9]{0,11}(Ki|Mi|Gi|Ti|k|M|G|T)?"
"""Whole numbers with a unit; signs, exponents and fractions are left out on purpose."""

CPU_PATTERN = r"[1-9][0-9]{0,3}(\.[0-9]{1,3})?|[1-9][0-9]{0,6}m|0\.0{0,2}[1-9][0-9]{0,2}"
"""Cores or millicores; whole or with a fraction, never zero."""

HEAP_PATTERN = r"[1-9][0-9]{0,5}(Mi|Gi)"
"""A Java heap: the JVM takes whole mebibytes only."""

_ANY_QUANTITY = re.compile(
    r"(?P<number>[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+))"
    r"((?P<unit>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]{1,2}))?"
)
_DECIMAL_UNITS = {unit: 3 * power for power, unit in enumerate("num", -3)} | {
    unit: 3 * power for power, unit in enumerate("kMGTPE", 1)
}
"""Exponents of ten."""


def parse_quantity(text: str) -> Decimal | None:
    """Return any quantity of the Kubernetes API, or `None` for what is none.

    Unlike those of a spec, which the schema restricts, quantities of nodes may have fractions,
    exponents and all units (`apimachinery/pkg/api/resource`, "Quantity").
    """
    match = _ANY_QUANTITY.fullmatch(text)
    if match is None:
        return None
    number, unit = Decimal(match["number"]), match["unit"]
    if unit is not None and unit.endswith("i"):
        return number * Decimal(1024) ** ("KMGTPE".index(unit[0]) + 1)
    return number.scaleb(_DECIMAL_UNITS[unit] if unit else int(match["exponent"] or 0))


def require_quantity(text: str) -> Decimal:
    """Return any quantity of the Kubernetes API; a `ValueError` is raised for what is none."""
    number = parse_quantity(text)
    if number is None:
        raise ValueError(text)
    return number


def parse_bytes(quantity: str) -> int:
    """Return the bytes that a memory quantity of a spec stands for."""
    return int(require_quantity(quantity))


def parse_cores(quantity: str) -> float:
    """Return the cores that a CPU quantity stands for, so `250m` is 0.25."""
    return float(require_quantity(quantity))


def heap_mebibytes(heap: str) -> int:
    """Return a heap quantity in MiB, the unit of `-Xmx…m`."""
    return parse_bytes(heap) // 2**20
