"""Images that a cluster has under other names than those the operators request.

A cluster without a registry has neither busybox nor the ZooKeeper image under their usual names.
"""

from typing import Any

Body = dict[str, Any]
Copies = dict[str, str]


def reference(image: Body, copies: Copies) -> str:
    """Return what the kubelet shall pull for an image of a spec."""
    tag = image.get("tag")
    wanted: str = f"{image['repository']}:{tag}" if tag else image["repository"]
    return copies.get(wanted, wanted)


def parse_copy(text: str) -> tuple[str, str]:
    """Return the two sides of `NAME=COPY`.

    Raises:
        ValueError: if there is no `=`.
    """
    wanted, _, copy = text.partition("=")
    if not copy:
        raise ValueError(f"{text}: must be NAME=COPY")
    return wanted, copy
