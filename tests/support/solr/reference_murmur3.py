"""MurmurHash3 x86_32 by Austin Appleby (public domain), step by step: the library is held to it."""

_MASK = 0xFFFFFFFF


def reference_murmur3(data: bytes, seed: int = 0) -> int:
    """Return the 32-bit hash of `data` as an unsigned number."""
    body = len(data) & ~3
    state = seed
    for start in range(0, body, 4):
        state ^= _scramble(int.from_bytes(data[start : start + 4], "little"))
        state = (state << 13 | state >> 19) & _MASK
        state = (state * 5 + 0xE6546B64) & _MASK
    if body < len(data):
        state ^= _scramble(int.from_bytes(data[body:], "little"))
    return _avalanche(state ^ len(data))


def _scramble(word: int) -> int:
    word = word * 0xCC9E2D51 & _MASK
    word = (word << 15 | word >> 17) & _MASK
    return word * 0x1B873593 & _MASK


def _avalanche(state: int) -> int:
    state = (state ^ state >> 16) * 0x85EBCA6B & _MASK
    state = (state ^ state >> 13) * 0xC2B2AE35 & _MASK
    return state ^ state >> 16
