from typing import Any

import pytest

from solrbench.analysis.comparison_settings import differing, settings_of_candidate
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.stats.tests import Looks


def test_what_is_asked_is_that_of_the_spec_unless_given() -> None:
    spec = {"comparison": {"smallestEffectPercent": 2, "primary": "Average"}}
    found = settings_of_candidate(spec, "old")
    assert (found.rule.smallest_effect_percent, found.primary) == (2, PrimaryMetric.AVERAGE)
    given = settings_of_candidate(spec, "old", 10, PrimaryMetric.P50)
    assert (given.rule.smallest_effect_percent, given.primary) == (10, PrimaryMetric.P50)
    assert given.rule.looks is None


def adaptive(baseline: dict[str, Any] | None) -> dict[str, Any]:
    """Return the spec of a benchmark whose repeats go on until they are decided."""
    beside = {} if baseline is None else {"comparison": {"baseline": baseline}}
    return {"load": {"repeats": {"until": "Decided", "min": 3}}} | beside


@pytest.mark.parametrize(
    ("baseline", "looks"),
    [
        ({"benchmark": {"name": "old"}}, Looks(3, 20)),
        ({"benchmark": {"name": "another"}}, None),
        ({"report": {"configMap": {"name": "kept"}}}, Looks(3, 20)),
        (None, None),  # variants decided it
    ],
)
def test_looks_count_only_where_this_comparison_decided_when_to_stop(
    baseline: dict[str, Any] | None, looks: Looks | None
) -> None:
    assert settings_of_candidate(adaptive(baseline), "old").rule.looks == looks


def test_repeats_of_a_fixed_number_have_no_looks() -> None:
    fixed = {"load": {"repeats": 5}, "comparison": {"baseline": {"benchmark": {"name": "old"}}}}
    assert settings_of_candidate(fixed, "old").rule.looks is None


def test_fields_are_named_with_both_values() -> None:
    before = {"a": {"same": 1, "one": 1, "gone": "x"}, "b": 1}
    after = {"a": {"same": 1, "one": 2, "new": [1]}, "b": 2}
    assert differing(before, after, ["a"], 9) == [
        "a.one: 1, then 2",
        "a.gone: x, then not set",
        "a.new: not set, then [1]",
    ]


def test_lists_of_one_length_are_compared_entry_by_entry() -> None:
    before = {"load": {"steps": [{"users": 1}, {"users": 2}]}}
    after = {"load": {"steps": [{"users": 1}, {"users": 3}]}}
    assert differing(before, after, ["load.steps"], 9) == ["load.steps[1].users: 2, then 3"]


def test_long_values_and_many_lines_are_cut() -> None:
    before = {"a": {f"f{n}": "x" * 100 for n in range(9)}}
    found = differing(before, {"a": {}}, ["a"], 3)
    assert len(found) == 3
    assert found[-1] == "7 more"
    assert len(found[0]) < 90


def test_parts_that_neither_has_are_equal() -> None:
    assert differing({}, {}, ["load.steps", "seed"], 9) == []
