"""The page of a sweep of 500 points: of bounded size, and it loads nothing."""

import re

import pytest

from solrbench.present.html import render_sweep_html
from support.results.sweep_reports import large_report

MAX_BYTES = 2_000_000


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_page_of_500_points_is_small_and_loads_nothing() -> None:
    report = large_report()
    assert len(report.points) == 500
    page = render_sweep_html(report)
    assert len(page.encode()) <= MAX_BYTES
    without_data = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:,)""", without_data)
    assert not re.findall(r"""url\((?!["']?(?:data:|#))|@import""", without_data)
