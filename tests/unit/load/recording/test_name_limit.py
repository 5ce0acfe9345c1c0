from solrbench.load.recording.name_limit import MOST_NAMES, OTHER, RequestNames


def test_first_names_are_kept_for_good() -> None:
    names = RequestNames()
    kept = [names.kept(f"name {number}") for number in range(MOST_NAMES + 10)]
    assert kept[: MOST_NAMES - 1] == [f"name {number}" for number in range(MOST_NAMES - 1)]
    assert set(kept[MOST_NAMES - 1 :]) == {OTHER}
    assert len(set(kept)) == MOST_NAMES
    assert names.kept("name 3") == "name 3"


def test_long_and_empty_names() -> None:
    names = RequestNames()
    assert names.kept("a" * 300) == names.kept("a" * 300) == "a" * 100
    assert names.kept("") == OTHER
