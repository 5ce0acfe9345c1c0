"""Answers of two sides on pages, in Markdown and in `solrbench compare`."""

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from solrbench.analysis.answers import ComparedAnswers, compare_answers
from solrbench.analysis.metrics import FAILED, ComparedMetric, Difference, store_figure
from solrbench.api.v1alpha1.comparisons import BaselineComparison
from solrbench.cli import compare
from solrbench.contract.answers import MAX_ANSWER_BYTES, QueryAnswer, StoredAnswers, pack_answers
from solrbench.present.comparison_tables import answers_tables, baseline_table
from solrbench.present.html import render_sweep_html
from solrbench.present.markdown import sweep_to_markdown
from support.results.builders import make_document, make_result, make_spec, report_body
from support.results.sweep_reports import full_report


def answers(*found: int) -> StoredAnswers:
    entries = [
        QueryAnswer(key=f"k{n}", query=f"q=<b>{n}</b>", found=each, ids=["a"], ranks=[[1.0]])
        for n, each in enumerate(found)
    ]
    return pack_answers(entries, StoredAnswers(first=10), MAX_ANSWER_BYTES)


def different() -> ComparedAnswers:
    return compare_answers(answers(1, 2, 3), answers(1, 2, 9), "9.8.1", "9.10.1")


def test_counts_and_examples_are_shown() -> None:
    found = different()
    total, examples = answers_tables([found.summary], [found])
    assert total.head == ("Candidate", "Baseline", "Conclusion", "Queries", "Different", "numFound")
    assert total.texts == [("9.10.1", "9.8.1", "Differ", "3", "1 (33.3 %)", "1")]
    assert examples.texts == [("q=<b>2</b>", "numFound", "3 found: a", "9 found: a")]


def test_a_sweep_shows_them_on_its_page_and_in_markdown() -> None:
    found = different()
    report = full_report()
    status = report.status.model_copy(update={"answer_comparisons": [found.summary]})
    report = report.model_copy(update={"answers": [found], "status": status})
    page = render_sweep_html(report)
    assert 'id="queries"' in page
    assert "q=&lt;b&gt;2&lt;/b&gt;" in page
    assert "## Answers to queries" in sweep_to_markdown(report)
    again = type(report).parse(report.to_json())
    assert again.answers == [found]


def test_one_failure_in_many_requests_is_not_shown_as_none() -> None:
    difference = Difference(FAILED, 0.0, 0.0004, 0.0004)
    figure = store_figure(ComparedMetric(difference, "a", "Total"), is_invalid=False)
    table = baseline_table(BaselineComparison(baseline="old", figures=[figure]))
    assert table.texts == [("a", "Total", "failed", "0 %", "0.0004 %", "+0.0004 percentage points")]


def test_nothing_is_shown_where_nothing_is_compared() -> None:
    assert answers_tables([], []) == []


def write(folder: Path, name: str, stored: StoredAnswers | None) -> str:
    document = make_document("a", 1, make_result([100_000] * 300), answers=stored)
    file = folder / f"{name}.json"
    file.write_bytes(orjson.dumps(report_body(make_spec("a"), [document])))
    return str(file)


@pytest.mark.parametrize(
    ("stored", "code", "words"),
    [
        (answers(1, 2, 3), 0, "new answers all 3 queries like old"),
        (answers(1, 2, 9), 5, "new answers 1 of 3 queries differently than old"),
        (None, 5, "both must have answers; set spec.comparison.answers"),
    ],
)
def test_pipelines_end_by_answers(
    tmp_path: Path, stored: StoredAnswers | None, code: int, words: str
) -> None:
    old, new = write(tmp_path, "old", answers(1, 2, 3)), write(tmp_path, "new", stored)
    for form in ("table", "markdown", "json"):
        result = CliRunner().invoke(compare.compare, [old, new, "--fail-on", "answers", "-o", form])
        assert result.exit_code == code, result.output
        assert words in " ".join(result.output.split()), result.output
