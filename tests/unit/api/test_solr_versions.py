import pytest

from solrbench.api.solr_versions import is_supported, release_of_tag, untested


@pytest.mark.parametrize(
    ("version", "supported"),
    [("9.10.1", True), ("10.0.0", True), ("8.11.4", False), ("11.0.0", False), ("100", False)],
)
def test_nine_and_ten_are_supported(version: str, supported: bool) -> None:
    assert is_supported(version) is supported


@pytest.mark.parametrize(
    ("tag", "release"),
    [
        ("9.10.1", "9.10"),
        ("9", "9"),
        ("9.8-slim", "9.8"),
        ("10.0.0-slim", "10.0"),
        ("10-slim", "10"),
        ("100-own", None),
        ("own", None),
        ("8.11", None),
    ],
)
def test_official_tags_show_their_release(tag: str, release: str | None) -> None:
    assert release_of_tag(tag) == release


def test_releases_are_untested_until_a_run_covered_them() -> None:
    assert untested(["9.10.1", "9.10", "9.8.1", "9", ""]) == []
    assert untested(["10", "10.0.0", "10.1.0", "9.7.0"]) == ["10", "10.0", "10.1", "9.7"]
