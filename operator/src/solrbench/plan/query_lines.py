"""What a line of a query file may hold, in the file that is replayed and in a log it is made of."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Parameters = tuple[tuple[str, str], ...]
"""Names and values in order; a name may be repeated."""


def parse_time(time: Any) -> float:
    """Return a time in seconds, given as a number, or as in RFC 3339; without a zone it is UTC.

    Raises:
        ValueError: if it is neither.

    """
    if isinstance(time, int | float) and not isinstance(time, bool):
        return float(time)
    try:
        found = datetime.fromisoformat(time)
    except (TypeError, ValueError):
        raise ValueError('"time" must be a number of seconds, or a time as in RFC 3339') from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def flatten_parameters(parameters: Mapping[str, Any]) -> Parameters:
    """Return the parameters of an object of JSON; a list repeats its parameter.

    Raises:
        ValueError: if a value is none that a parameter can have.

    """
    return tuple((name, text) for name, value in parameters.items() for text in _texts(name, value))


def _texts(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, str | int | float):
        return [str(value)]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    raise ValueError(f'"{name}" must be a text, a number, true, false or a list of texts')
