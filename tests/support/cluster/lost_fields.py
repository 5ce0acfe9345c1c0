"""What was applied against what is stored."""

from typing import Any


def lost(built: Any, stored: Any, path: str = "") -> list[str]:
    """Return the places where what is stored is not what was built; defaults may be added."""
    if isinstance(built, dict) and isinstance(stored, dict):
        return [
            place
            for key, value in built.items()
            if value not in ({}, [])
            for place in lost(value, stored.get(key), f"{path}.{key}")
        ]
    if isinstance(built, list) and isinstance(stored, list) and len(built) == len(stored):
        pairs = enumerate(zip(built, stored, strict=True))
        return [place for i, (b, s) in pairs for place in lost(b, s, f"{path}[{i}]")]
    return [] if built == stored else [f"{path}: {built!r} became {stored!r}"]
