"""Lists in parts; see "Retrieving large results sets in chunks" in the API concepts."""

from collections.abc import Callable, Iterator
from typing import Any


def read_pages(fetch: Callable[[str | None], dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the items of each part of a list, with kind and version, which lists leave out.

    Args:
        fetch: returns the part that a token of the part before it begins; `None` for the first

    """
    token: str | None = None
    while True:
        found = fetch(token)
        kind = str(found.get("kind", "")).removesuffix("List")
        about = {"apiVersion": found.get("apiVersion"), "kind": kind}
        yield [about | each for each in found.get("items") or []]
        token = (found.get("metadata") or {}).get("continue") or None
        if token is None:
            return
