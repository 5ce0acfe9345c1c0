"""Figures as SVG: what is drawn, and what is refused."""

import gzip
import hashlib
import xml.etree.ElementTree as ET

import pytest

from solrbench.report.drawing import _ALLOWED, Drawer, DrawingError, _clean, library
from solrbench.report.figures.parts import base, bottom_axis, grid, intervals, line, value_axis
from support.results.reports import HOSTILE

ECHARTS_SHA256 = "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0"
"""Of `dist/echarts.min.js` in the package echarts 6.1.0 of the npm registry."""


def drawn(name: str = "P50") -> str:
    option = base(
        grid=grid(),
        xAxis=bottom_axis(name),
        yAxis=value_axis("Service time", "@milliseconds"),
        series=[line(name, 0, [(1, 20.0), (2, 1800.0)]), intervals(0, [(1, 10.0, 30.0)])],
    )
    found = Drawer().draw(option, 900, 300)
    if found is None:
        pytest.skip("there is no engine for this machine")
    return found


def test_library_is_the_published_one() -> None:
    assert hashlib.sha256(gzip.decompress(library())).hexdigest() == ECHARTS_SHA256


def test_drawing_has_axes_and_a_line_in_colours_of_the_page() -> None:
    text = drawn()
    assert 'viewBox="0 0 900 300"' in text
    assert text.count("var(--series-0)") >= 4  # the line and three strokes of its interval
    assert ">1.5 s<" in text
    assert ">900 ms<" in text
    assert "<style" not in text


def test_names_are_escaped() -> None:
    root = ET.fromstring(drawn(HOSTILE))
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert HOSTILE in texts
    assert {each.tag.split("}")[1] for each in root.iter()} <= _ALLOWED


@pytest.mark.parametrize(
    "given",
    [
        "<svg><script>alert(1)</script></svg>",
        "<svg><foreignObject></foreignObject></svg>",
        '<svg><image href="http://example.com/"/></svg>',
        '<svg><rect fill="url(http://example.com/#a)"/></svg>',
        '<svg><rect onclick="alert(1)"/></svg>',
        "<svg><style></style><set/></svg>",
    ],
)
def test_what_does_not_draw_is_refused(given: str) -> None:
    with pytest.raises(DrawingError):
        _clean(given)
