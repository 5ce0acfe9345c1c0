import random
import string

import mmh3
import pytest

from solrbench.dataset.routing.routes import murmur3
from unit.dataset.routing.reference_murmur3 import reference_murmur3

CHARACTERS = string.printable + "\0äßπ€日🂡"


@pytest.mark.parametrize(
    ("data", "seed", "expected"),
    [
        # published vectors of MurmurHash3 x86_32, covering every length of the tail
        (b"", 0, 0),
        (b"", 1, 0x514E28B7),
        (b"", 0xFFFFFFFF, 0x81F16F39),
        (b"\xff\xff\xff\xff", 0, 0x76293B50),
        (b"!Ce\x87", 0, 0xF55B516B),
        (b"!Ce\x87", 0x5082EDEE, 0x2362F9DE),
        (b"!Ce", 0, 0x7E4A8634),
        (b"!C", 0, 0xA0F7B07A),
        (b"!", 0, 0x72661CF4),
        (b"\0\0\0\0", 0, 0x2362F9DE),
        (b"aaaa", 0x9747B28C, 0x5A97808A),
        (b"Hello, world!", 0x9747B28C, 0x24884CBA),
        ("ππππππππ".encode(), 0x9747B28C, 0xD58063C1),
    ],
)
def test_hash_of_published_vectors_is_the_published_one(
    data: bytes, seed: int, expected: int
) -> None:
    assert mmh3.hash(data, seed, signed=False) == expected
    assert reference_murmur3(data, seed) == expected


def test_library_hashes_random_ids_as_the_reference_does() -> None:
    source = random.Random(1)
    for _ in range(20_000):
        text = "".join(source.choices(CHARACTERS, k=source.randrange(40)))
        assert murmur3(text) == reference_murmur3(text.encode()), text
