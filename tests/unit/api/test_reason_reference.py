from solrbench.api.reason_reference import render_reason_reference
from solrbench.reasons.registry import ALL_REASONS, GROUPS
from solrbench.reasons.target import TargetReason


def test_page_has_a_row_for_every_reason() -> None:
    page = render_reason_reference()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) == len(ALL_REASONS)
    assert page.count("\n## ") == len(GROUPS)


def test_row_has_kind_meaning_and_remedy() -> None:
    reason = TargetReason.SOLR_NOT_READY
    row = f"| `SolrNotReady` | waiting | {reason.meaning} | {reason.remedy} |"
    assert row in render_reason_reference().splitlines()
