"""Quantities as numbers, by the table of Kubernetes' documentation."""

import re
from decimal import Decimal

import pytest

from solrbench.api.quantities import (
    CPU_PATTERN,
    HEAP_PATTERN,
    MEMORY_PATTERN,
    heap_mebibytes,
    parse_bytes,
    parse_cores,
    parse_quantity,
)


@pytest.mark.parametrize(
    ("quantity", "wanted"),
    [
        ("1", 1),
        ("4294967296", 2**32),
        ("3k", 3000),
        ("3Ki", 3072),
        ("512M", 512_000_000),
        ("512Mi", 536_870_912),
        ("2G", 2_000_000_000),
        ("2Gi", 2_147_483_648),
        ("1T", 10**12),
        ("1Ti", 2**40),
    ],
)
def test_byte_quantities_are_parsed(quantity: str, wanted: int) -> None:
    assert re.fullmatch(MEMORY_PATTERN, quantity)
    assert parse_bytes(quantity) == wanted


@pytest.mark.parametrize("quantity", ["", "0", "-1Gi", "1.5Gi", "2GB", "2g", "1e3", "1 Gi", "0Mi"])
@pytest.mark.parametrize("pattern", [MEMORY_PATTERN, HEAP_PATTERN])
def test_other_spellings_are_no_bytes(pattern: str, quantity: str) -> None:
    assert re.fullmatch(pattern, quantity) is None


@pytest.mark.parametrize(
    ("quantity", "wanted"),
    [("1", 1.0), ("2.5", 2.5), ("0.1", 0.1), ("0.001", 0.001), ("250m", 0.25), ("1500m", 1.5)],
)
def test_cpu_quantities_are_parsed(quantity: str, wanted: float) -> None:
    assert re.fullmatch(CPU_PATTERN, quantity)
    assert parse_cores(quantity) == wanted


@pytest.mark.parametrize("quantity", ["", "0", "0.0", "-1", "0m", ".5", "2 cores", "1e3", "100%"])
def test_other_spellings_are_no_cores(quantity: str) -> None:
    assert re.fullmatch(CPU_PATTERN, quantity) is None


@pytest.mark.parametrize(("heap", "wanted"), [("512Mi", 512), ("2Gi", 2048), ("31Gi", 31_744)])
def test_heap_in_the_unit_of_the_jvm(heap: str, wanted: int) -> None:
    assert re.fullmatch(HEAP_PATTERN, heap)
    # The JVM takes no decimal units.
    assert re.fullmatch(HEAP_PATTERN, heap.removesuffix("i")) is None
    assert heap_mebibytes(heap) == wanted


@pytest.mark.parametrize(
    ("quantity", "wanted"),
    [
        ("1e9", "1000000000"),
        ("1.5E3", "1500"),
        ("128974848000m", "128974848"),
        ("2Pi", "2251799813685248"),
        ("3E", "3000000000000000000"),
        ("250n", "0.00000025"),
        (".5", "0.5"),
        ("16374180Ki", "16767160320"),
    ],
)
def test_quantities_of_nodes_are_parsed(quantity: str, wanted: str) -> None:
    assert parse_quantity(quantity) == Decimal(wanted)


@pytest.mark.parametrize("text", ["", "Mi", "1 Gi", "1e", "2g", "1Mi2", "much"])
def test_what_is_no_quantity_is_none(text: str) -> None:
    assert parse_quantity(text) is None
