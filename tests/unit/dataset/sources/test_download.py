import random
from contextlib import closing

import pytest

from solrbench.dataset.backoff import Backoff
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.sources.download import Downloader
from solrbench.reasons.indexing import IndexingReason
from unit.dataset.fake_servers import file_server

FILES = {"/a.json": b"[]", "/big.json": bytes(300_000)}


def read(url: str, retries: int = 2, pauses: list[float] | None = None) -> bytes:
    waits: list[float] = [] if pauses is None else pauses
    client = Downloader(retries, Backoff(), random.Random(1), waits.append)
    with closing(client), client.files([url])[0].open() as body:
        return body.read()


def test_streams_a_file() -> None:
    with file_server(FILES, []) as url:
        assert read(f"{url}/big.json") == FILES["/big.json"]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_download_is_retried_after_a_temporary_failure(code: int) -> None:
    pauses: list[float] = []
    with file_server(FILES, [(code, ""), (code, "")]) as url:
        assert read(f"{url}/a.json", 2, pauses) == b"[]"
    assert len(pauses) == 2
    assert pauses[0] < pauses[1] * 2


def test_gives_up_after_the_retries() -> None:
    with file_server(FILES, [(503, "")] * 3) as url, pytest.raises(IndexingError) as caught:
        read(f"{url}/a.json")
    assert caught.value.reason is IndexingReason.DATASET_UNREACHABLE
    assert not caught.value.permanent


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (404, IndexingReason.DATASET_NOT_FOUND),
        (410, IndexingReason.DATASET_NOT_FOUND),
        (401, IndexingReason.DATASET_UNREACHABLE),
        (403, IndexingReason.DATASET_UNREACHABLE),
    ],
)
def test_no_retry_cures_these(code: int, reason: IndexingReason) -> None:
    pauses: list[float] = []
    with file_server(FILES, [(code, "")]) as url, pytest.raises(IndexingError) as caught:
        read(f"{url}/a.json?token=secret", 2, pauses)
    assert caught.value.reason is reason
    assert caught.value.permanent
    assert str(code) in str(caught.value)
    assert "secret" not in str(caught.value)
    assert pauses == []


def test_follows_redirects_within_the_host() -> None:
    with file_server(FILES, [(302, "/b"), (301, "/a.json")]) as url:
        assert read(f"{url}/start") == b"[]"


def test_does_not_follow_for_ever() -> None:
    with file_server(FILES, [(302, "/a.json")] * 6) as url, pytest.raises(IndexingError) as caught:
        read(f"{url}/a.json")
    assert "more than 5 redirects" in str(caught.value)
    assert caught.value.permanent


def test_does_not_follow_to_another_host() -> None:
    script = [(302, "http://localhost:1/a.json")]
    with file_server(FILES, script) as url, pytest.raises(IndexingError) as caught:
        read(f"{url}/a.json")
    assert "redirects to another host, localhost" in str(caught.value)
    assert caught.value.permanent


def test_lost_connection_is_retried() -> None:
    with file_server(FILES, []) as url:
        gone = f"{url}/a.json"
    with pytest.raises(IndexingError) as caught:
        read(gone, retries=1)
    assert caught.value.reason is IndexingReason.DATASET_UNREACHABLE
    assert not caught.value.permanent
