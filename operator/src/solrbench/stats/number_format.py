"""Numbers as text: three significant digits and a unit."""

import math
from collections.abc import Callable
from typing import TypeVar

GIBIBYTE = 2**30
_BINARY_UNITS = (("GiB", GIBIBYTE), ("MiB", 2**20), ("KiB", 2**10))
_SIGNIFICANT = 3
_DIGITS = 3
"""Decimals of milliseconds kept: whole microseconds."""

_Number = TypeVar("_Number", float, float | None)
"""Of what may be absent, the result may be so, too."""


def format_number(value: float) -> str:
    """Return `value` with three significant digits; whole numbers are never rounded.

    12.345 becomes `12.3`, 12345.6 becomes `12346`, 0.00012345 becomes `0.000123`.
    """
    return _decimals(value, value)


def format_milliseconds(milliseconds: float) -> str:
    """Return a time with its unit, in seconds from 1000 ms on."""
    if milliseconds >= 1000:
        return f"{format_number(milliseconds / 1000)} s"
    return f"{format_number(milliseconds)} ms"


def round_significant(value: _Number, digits: int = _SIGNIFICANT) -> _Number:
    """Return a number with so many significant digits; None stays None."""
    return None if value is None else float(f"{value:.{digits}g}")


def round_decimals(value: float) -> float:
    """Return a number with three decimals, below 1 with three digits: one in a million is not 0."""
    return round(value, _DIGITS) if value >= 1 else round_significant(value)


def milliseconds(microseconds: _Number) -> _Number:
    """Return a time as the status shows it."""
    return None if microseconds is None else round(microseconds / 1000, _DIGITS)


def scaled(number: _Number, divisor: float) -> _Number:
    """Return a number in a base unit, such as seconds for milliseconds; None stays None."""
    return None if number is None else number / divisor


def format_share(part: int, whole: int) -> str:
    """Return `part` of `whole` in percent, empty if `whole` is zero."""
    return f"{_share(part, whole)} %" if whole else ""


def share_percent(part: int, whole: int) -> float:
    """Return `part` of `whole` in per cent, with the digits of `format_share`."""
    return float(_share(part, whole))


def round_number(value: float) -> float:
    """Return `value` with the digits of `format_number`."""
    return float(format_number(value))


def format_percent(percent: float) -> str:
    """Return a number of percent with its unit."""
    return f"{format_number(percent)} %"


def format_range(
    lower: float | None, upper: float | None, show: Callable[[float], str] = format_number
) -> str:
    """Return `12.3 to 45.6`, or of one bound `at least 12.3`, `at most 45.6`; empty without any."""
    if lower is None:
        return "" if upper is None else f"at most {show(upper)}"
    return f"at least {show(lower)}" if upper is None else f"{show(lower)} to {show(upper)}"


def format_bytes(size: float) -> str:
    """Return a number of bytes in the largest binary unit of which there is one."""
    for unit, whole in _BINARY_UNITS:
        if size >= whole:
            return f"{format_number(size / whole)} {unit}"
    return f"{format_number(size)} B"


def format_cores(cores: float) -> str:
    """Return a number of cores with its noun: `1 core`, `0.5 cores`."""
    text = format_number(cores)
    return f"{text} core" if text == "1" else f"{text} cores"


def _share(part: int, whole: int) -> str:
    # Enough digits that few is not none and most is not all: one in a million is never `0 %`.
    percent = 100 * part / whole
    return _decimals(percent, min(percent, 100 - percent) or percent)


def _decimals(value: float, scale: float) -> str:
    """Return `value` with as many decimals as show three digits of `scale`."""
    if scale == 0:
        return f"{value:.0f}"
    decimals = max(0, _SIGNIFICANT - 1 - math.floor(math.log10(abs(scale))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count_noun(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun: `1 shard`, `2 shards`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {nouns or f'{noun}s'}"
