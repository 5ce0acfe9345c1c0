"""The arithmetic of the bench: what decides whether a bar is met."""

import random
import re
import shutil
from pathlib import Path

import pytest

from bench.__main__ import _PARTS
from bench.faults import FAULTS, QUICK_PARTS, Fault, FaultNotPlantedError, plant
from bench.harness.table import Row, at_least, at_most, ratio_row, render, skipped, within
from bench.load.times import PERCENTS, exact_percentile, theory, worst_of
from bench.statistics.comparison_conclusions import Outcome, Pair, equal_rows, outcomes
from bench.statistics.real_pairs import pair_benchmark, target_benchmark
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.stats.histograms import Histogram
from support.narrowing import not_none
from support.repository import ROOT


@pytest.mark.parametrize("count", [1, 2, 10, 999, 5000])
def test_exact_percentile_is_that_of_a_histogram_within_its_buckets(count: int) -> None:
    draw = random.Random(count)
    samples = [draw.randrange(1, 10_000_000) for _ in range(count)]
    histogram = Histogram()
    for sample in samples:
        histogram.record(sample)
    for percent in PERCENTS:
        exact = exact_percentile(samples, percent)
        assert exact <= (histogram.percentile(percent) or 0) <= 1.001 * exact + 1


@pytest.mark.parametrize(
    ("reported", "known", "worst"),
    [
        ((1200,), (1000,), 1.0),  # 0.2 ms
        ((101_000,), (100_000,), 1.0),  # 1 %
        ((1000, 102_000), (1000, 100_000), 2.0),
        ((1000,), (1000,), 0.0),
    ],
)
def test_bar_is_one_per_cent_or_a_fifth_of_a_millisecond(
    reported: tuple[int, ...], known: tuple[int, ...], worst: float
) -> None:
    assert worst_of(reported, known) == pytest.approx(worst)


def test_stall_percentiles_follow_from_arithmetic() -> None:
    draw = random.Random(1)
    arrivals = [draw.uniform(0, 10) for _ in range(200_000)]
    waits = [int(1e6 * max(1 - at, 0)) for at in arrivals]
    for percent in (95.0, 99.0, 99.9):
        assert theory(percent) == pytest.approx(exact_percentile(waits, percent) / 1e6, rel=0.01)


def test_table_says_met_missed_and_skipped() -> None:
    rows = [
        ratio_row("small", 60_000, 5_000, 10, "FastHttpUser"),
        ratio_row("small", 40_000, 90_000, 0.5, "wrk"),
        skipped("other", ">= 3 x", "no k6"),
        Row("last", "any", "1", is_met=True),
    ]
    lines = render(rows).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert "| 12.00 x " in lines[2]
    assert "60,000 and 5,000 requests per CPU-second, FastHttpUser" in lines[2]
    assert [line.split("|")[4].strip() for line in lines[2:]] == ["met", "MISSED", "skipped", "met"]


def test_pairs_end_with_a_word_after_few_repeats() -> None:
    found = outcomes(Pair(cv=0.01, slower_percent=10), 20)
    assert {each.conclusion for each in found} == {Conclusion.WORSE}
    assert {each.repeats for each in found} <= set(range(5, 9))


def test_wrong_words_on_equal_pairs_are_counted() -> None:
    found = [Outcome(Conclusion.SAME, 5)] * 98 + [Outcome(Conclusion.WORSE, 5)] * 2
    different, same = equal_rows("equal", found)
    assert (different.is_met, same.is_met) == (False, True)
    assert different.figure == "98 of 100, 98.0 %"


@pytest.mark.parametrize(
    ("row", "bar", "figure", "is_met"),
    [
        (at_most("lag", 1.004, 1, "{:.2f} ms"), "<= 1 ms", "1.00 ms", False),
        (at_most("memory", 40, 40, "{:.0f} MB more"), "<= 40 MB more", "40 MB more", True),
        (at_least("share", 97.96, 98, "{:.1f} %"), ">= 98 %", "98.0 %", False),
        (within("rate", 1.0, 1.0, ""), "within 1 %", "1.00 %", True),
    ],
)
def test_bar_has_the_unit_of_its_figure(row: Row, bar: str, figure: str, is_met: bool) -> None:
    assert (row.bar, row.figure, row.is_met) == (bar, figure, is_met)


def test_figure_without_a_bar_is_neither_met_nor_skipped() -> None:
    table = render([Row("bare loop", "", "7.4 %", None)])
    assert "7.4 %" in table
    assert "skipped" not in table


def test_benchmarks_of_a_chain_have_one_spec_and_are_accepted() -> None:
    bodies = [pair_benchmark(number, "http://solr:8983/solr") for number in range(3)]
    SolrBenchmark.parse(target_benchmark())
    first, second, third = (SolrBenchmark.parse(each).spec for each in bodies)
    assert second.load.repeats.until == "Decided"
    assert first.load.steps == second.load.steps == third.load.steps
    assert not_none(not_none(third.comparison.baseline).benchmark).name == "pair-01"


def test_readme_names_every_part() -> None:
    readme = (ROOT / "bench" / "README.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", readme, re.MULTILINE)) == _PARTS.keys()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_changes_one_line_of_the_product(fault: Fault, tmp_path: Path) -> None:
    assert fault.part in QUICK_PARTS
    copy = tmp_path / "solrbench" / fault.file
    copy.parent.mkdir(parents=True)
    shutil.copy(ROOT / "operator/src/solrbench" / fault.file, copy)
    before = copy.read_text("utf-8")
    plant(fault, tmp_path)
    compile(copy.read_text("utf-8"), fault.file, "exec")
    assert copy.read_text("utf-8") == before.replace(fault.right, fault.wrong) != before


def test_fault_whose_line_is_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "solrbench").mkdir()
    (tmp_path / "solrbench" / "some.py").write_text("a = 1\n")
    with pytest.raises(FaultNotPlantedError, match="no such line"):
        plant(Fault("no such line", "some.py", "b = 1", "b = 2", "merged"), tmp_path)
