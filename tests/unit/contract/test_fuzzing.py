"""Readers of bytes of others before documents that are nearly good, for an hour in `make soak`."""

import json
import random

import pytest

from support.faults.selection import draw
from support.servers import fuzzing


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_no_document_ends_a_reader_or_takes_much() -> None:
    fuzzing.check(20, draw("fuzzing") % 1_000_000)


@pytest.mark.parametrize("name", fuzzing.READERS)
def test_documents_before_their_change_are_read(name: str) -> None:
    reader, good = fuzzing.READERS[name]
    reader(json.dumps(good).encode())
    assert fuzzing.make(random.Random(1), good) == fuzzing.make(random.Random(1), good)
