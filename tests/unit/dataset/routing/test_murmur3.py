import pytest

from solrbench.dataset.routing.murmur3 import murmur3


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
def test_murmur3_matches_published_vectors(data: bytes, seed: int, expected: int) -> None:
    assert murmur3(data, seed) == expected
