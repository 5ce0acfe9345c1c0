"""Seeds of everything that is drawn, made from what it is drawn for."""

import hashlib

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def seed_of(*parts: int | str) -> int:
    """Return 64 bits that depend on every part and on nothing else, on any machine."""
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def uniform(seed: int, index: int) -> float:
    """Return draw number `index` of a stream, evenly from [0, 1).

    SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). It has
    no state but its counter, so a hundred thousand users need no generator each.
    """
    value = (seed + (index + 1) * _GOLDEN) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((value ^ (value >> 31)) >> 11) / 2**53
