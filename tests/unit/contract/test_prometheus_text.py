"""Samples in the text of Prometheus."""

import pytest

from solrbench.contract.prometheus_text import read_samples

TEXT = """\
# HELP size Size of something{with="braces"} 9
# TYPE size gauge
size{core="a",path="C:\\\\x\\"}, 1"} 1.5
size{core="b"} 2.0E3 1700000000000
size{core="c"} NaN
size{core="d"} +Inf
size{core="e"} -1
size{core="f"} 1e9999
size{core="g"} 0
size{core="h"} 3x
size_total{core="i"} 4
other{core="j"} 5
size 6
"""


def test_samples_of_some_names_with_a_number() -> None:
    found = [(name, each.get("core"), value) for name, each, value in read_samples(TEXT, "size")]
    sizes = [("size", "a", 1.5), ("size", "b", 2000.0), ("size", "g", 0.0), ("size", None, 6.0)]
    assert found == sizes
    assert [name for name, *_ in read_samples(TEXT, r"\w+(?<!size)")] == ["size_total", "other"]


def test_quotes_in_labels_are_theirs() -> None:
    _, labels, _ = next(read_samples(TEXT, "size"))
    assert labels["path"] == 'C:\\\\x\\"}, 1'


@pytest.mark.parametrize(
    "text", ["", "\n", "size{", "size{}", "size{} ", "size{a} x", "{" * 10_000]
)
def test_text_of_others_has_no_samples(text: str) -> None:
    assert list(read_samples(text, "size")) == []
