from solrbench.load.recording.name_limit import OTHER, NameLimiter

MAX_NAMES = 12


def test_first_names_are_kept_for_good() -> None:
    names = NameLimiter(MAX_NAMES)
    kept = [names.limit(f"name {number}") for number in range(MAX_NAMES + 10)]
    assert kept[: MAX_NAMES - 1] == [f"name {number}" for number in range(MAX_NAMES - 1)]
    assert set(kept[MAX_NAMES - 1 :]) == {OTHER}
    assert len(set(kept)) == MAX_NAMES
    assert names.limit("name 3") == "name 3"


def test_long_names_are_cut_and_empty_ones_replaced() -> None:
    names = NameLimiter(MAX_NAMES)
    assert names.limit("a" * 300) == names.limit("a" * 300) == "a" * 100
    assert names.limit("") == OTHER
