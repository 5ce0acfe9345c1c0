"""How much of the heap is in use after a garbage collection, from the pools of the JVM."""

from collections.abc import Mapping

_YOUNG = ("eden", "survivor", "young")


def heap_after_gc(pools: Mapping[str, float]) -> float | None:
    """Return the bytes in use after the last collection of each pool.

    The JVM gives each pool of the heap the use after the collection that last included it
    (`MemoryPoolMXBean.getCollectionUsage`), and 0 before there was one. Collections of the young
    generation, the only ones for a while, leave out the old one: their sum would be what survived
    for a moment, not what the heap holds.

    Args:
        pools: bytes by name of the pool

    Returns:
        None until the old generation was collected once, or without it

    """
    old = sum(value for name, value in pools.items() if not _is_young(name))
    return sum(pools.values()) if old else None


def _is_young(name: str) -> bool:
    return any(part in name.lower() for part in _YOUNG)
