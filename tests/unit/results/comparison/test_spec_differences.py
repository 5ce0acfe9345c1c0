from solrbench.results.comparison.spec_differences import differing


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
