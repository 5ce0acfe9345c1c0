"""Lists in parts; see "Retrieving large results sets in chunks" in the API concepts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any


def read_parts(fetch: Callable[[dict[str, str]], dict[str, Any]]) -> Iterator[Sequence[Any]]:
    """Yield the items of each part of a list.

    Args:
        fetch: returns the part that follows another; its argument has the option that says which,
            and is empty for the first

    """
    rest: dict[str, str] = {}
    while True:
        found = fetch(rest)
        yield found.get("items") or []
        token = (found.get("metadata") or {}).get("continue")
        if not token:
            return
        rest = {"_continue": token}
