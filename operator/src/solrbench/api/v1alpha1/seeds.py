"""One seed for the whole spec: what has no seed of its own gets that of the spec."""

from collections.abc import Mapping
from typing import Any

DEFAULT_SEED = 1

_SEEDED = {
    ("dataset", "generator"),
    ("workload", "queries"),
    ("workload", "warmUpQueries"),
    ("mix", "queries"),
    ("updates", "generated"),
    ("transaction", "inputs"),
}
"""Objects with a seed: their field and that of the object, or list, around them."""


def default_seed() -> int:
    """Return the seed of a part outside a spec: a factory, so that the CRD fills nothing in."""
    return DEFAULT_SEED


def pass_seed_on(spec: Any) -> Any:
    """Return a raw spec in which every part that draws at random has a seed.

    A locustfile draws nothing. What is no mapping stays as it is, for validation to reject.
    """
    seed = spec.get("seed", DEFAULT_SEED) if isinstance(spec, Mapping) else DEFAULT_SEED
    filled = _fill("", "", spec, seed)
    workload = filled.get("workload") if isinstance(filled, dict) else None
    if isinstance(workload, dict) and "locustfile" not in workload:
        workload.setdefault("seed", seed)
    return filled


def _fill(parent: str, name: str, part: Any, seed: Any) -> Any:
    if isinstance(part, list):
        return [_fill(parent, name, item, seed) for item in part]
    if not isinstance(part, Mapping):
        return part
    filled = {key: _fill(name, key, value, seed) for key, value in part.items()}
    return {"seed": seed} | filled if (parent, name) in _SEEDED else filled
