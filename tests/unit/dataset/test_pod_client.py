import httpx
import pytest

from solrbench.dataset.pod_client import IndexPodClient


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("10.0.0.7", "http://10.0.0.7:8080/progress"),
        ("10:244::17", "http://[10:244::17]:8080/progress"),
    ],
)
def test_pods_of_both_families_are_asked(host: str, url: str) -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, text="{}")

    with IndexPodClient() as client:
        client._http = httpx.Client(transport=httpx.MockTransport(answer))
        assert client.progress(host) == "{}"
    assert asked == [url]


def test_a_pod_that_sends_too_much_has_no_progress() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text=" " * 65537))
    with IndexPodClient() as client:
        client._http = httpx.Client(transport=transport)
        assert client.progress("10.0.0.7") == ""
