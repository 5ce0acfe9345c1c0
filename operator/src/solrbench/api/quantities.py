"""Kubernetes quantities (`512Mi`, `2Gi`, `500m`) as numbers."""

import re
from decimal import Decimal

MEMORY_PATTERN = r"[1-9][0-9]{0,11}(Ki|Mi|Gi|Ti|k|M|G|T)?"
"""Whole numbers with a unit; signs, exponents and fractions are left out on purpose."""

CPU_PATTERN = r"[1-9][0-9]{0,3}(\.[0-9]{1,3})?|[1-9][0-9]{0,6}m|0\.0{0,2}[1-9][0-9]{0,2}"
"""Cores or millicores; whole or with a fraction, never zero."""

HEAP_PATTERN = r"[1-9][0-9]{0,5}(Mi|Gi)"
"""A Java heap: the JVM takes whole mebibytes only."""

_UNITS: dict[str, int] = {
    **{f"{unit}i": 2 ** (10 * power) for power, unit in enumerate("KMGT", 1)},
    **{unit: 10 ** (3 * power) for power, unit in enumerate("kMGT", 1)},
}


def parse_bytes(quantity: str) -> int:
    """Return the bytes that a memory quantity of a spec stands for."""
    for unit, factor in _UNITS.items():
        if quantity.endswith(unit):
            return int(quantity[: -len(unit)]) * factor
    return int(quantity)


def parse_cores(quantity: str) -> float:
    """Return the cores that a CPU quantity stands for, so `250m` is 0.25."""
    if quantity.endswith("m"):
        return float(Decimal(quantity[:-1]) / 1000)
    return float(quantity)


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


def heap_mebibytes(heap: str) -> int:
    """Return a heap quantity in MiB, the unit of `-Xmx…m`."""
    return parse_bytes(heap) // 2**20
