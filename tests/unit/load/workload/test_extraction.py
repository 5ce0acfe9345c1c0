import pytest

from solrbench.load.workload.extraction import extract_values, parse_extraction

BODY = b'{"response":{"docs":[{"id":"x1","n":5,"ok":true,"tags":["a","b"],"none":null}]},"a-b":1.5}'


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("response.docs[0].id", "x1"),
        ("response.docs[0].n", "5"),
        ("response.docs[0].ok", "true"),
        ("response.docs[0].tags[1]", "b"),
        ("a-b", "1.5"),
    ],
)
def test_values_become_texts(path: str, text: str) -> None:
    values = {"kept": "1"}
    assert extract_values(BODY, [parse_extraction("found", path)], values) is None
    assert values == {"kept": "1", "found": text}


@pytest.mark.parametrize(
    "path",
    [
        "response.docs[1].id",
        "response.docs[0].none",
        "response.docs[0].tags",
        "response.docs.id",
        "response.docs[0].id[0].x",
        "nothing",
    ],
)
def test_missing_values_are_failures_that_name_the_path(path: str) -> None:
    found = extract_values(BODY, [parse_extraction("id", path)], {})
    assert found is not None
    assert found.kind == "ExtractionFailed"
    assert found.message.startswith(f"id: no single value at {path} in ")


def test_answer_that_is_no_json_is_a_failure() -> None:
    found = extract_values(b"<html>", [parse_extraction("id", "a")], {})
    assert found is not None
    assert found.message.startswith("answer is not JSON")
