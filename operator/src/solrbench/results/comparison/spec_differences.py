"""In what two specs differ: what is compared, and what should have been equal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

SETTINGS = ("target", "collection", "podOptions")
"""Parts of a spec whose differences are what is compared."""

DEFINITIONS = ("dataset", "workload", "warmUp", "load.steps", "load.between", "seed")
"""Parts that say what is done: with other documents or requests, other figures mean nothing."""

_MOST_CHARACTERS = 60
"""Of a value that is named."""

_ABSENT = "not set"


def differing(
    before: Mapping[str, Any], after: Mapping[str, Any], parts: Sequence[str], most: int
) -> list[str]:
    """Return the fields of `parts` in which two specs differ, at most `most` lines.

    A line is `collection.shards: 1, then 2`; where there are more, the last one says how many.
    """
    found = [
        line for part in parts for line in _compare(part, _value(before, part), _value(after, part))
    ]
    if len(found) <= most:
        return found
    return [*found[: most - 1], f"{len(found) - most + 1} more"]


def _value(spec: Mapping[str, Any], path: str) -> Any:
    value: Any = spec
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _compare(path: str, before: Any, after: Any) -> Iterator[str]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in [*before, *(each for each in after if each not in before)]:
            yield from _compare(f"{path}.{name}", before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _compare(f"{path}[{index}]", one, other)
    else:
        yield f"{path}: {_text(before)}, then {_text(after)}"


def _text(value: Any) -> str:
    if value is None:
        return _ABSENT
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
