"""Readers of bytes of others for an hour, within the memory of a small control group."""

import pytest

from support.faults.selection import draw
from support.servers import fuzzing

pytestmark = [pytest.mark.soak, pytest.mark.timeout(5400)]


def test_no_document_ends_a_reader_or_takes_much() -> None:
    fuzzing.check(3600, draw("fuzzing") % 1_000_000)
