"""The operator's side of the load master's routes; the real master is in test_processes."""

import json
import socket
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from solrbench.errors import PermanentError, TemporaryError
from solrbench.load import master_client
from solrbench.load.master_client import LoadMasterClient
from support.failing import failing
from support.servers.in_thread import QuietHandler, in_thread

STATE = {"stage": "Measuring", "users": 3, "fieldOfALaterVersion": 1}
ANSWERS = {
    "/solrbench/state": (200, json.dumps(STATE)),
    "/solrbench/results/large": (200, '"' + "x" * 2000 + '"'),
    "/solrbench/results/damaged": (200, '{"id": "damaged"}'),
    "/solrbench/results/r1-s0-gone/ack": (404, "no such result"),
}


class Master(QuietHandler):
    """Answers as a master in some odd state would."""

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        status, text = ANSWERS.get(self.path, (503, "not now"))
        self.send(text.encode(), status)

    do_POST = do_GET  # noqa: N815 - the base class calls it so


@pytest.fixture
def master(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoadMasterClient]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Master)
    monkeypatch.setattr(master_client, "WEB_PORT", server.server_port)
    with in_thread(server), LoadMasterClient("127.0.0.1", "t") as found:
        yield found


def test_no_step_under_way_is_no_error(master: LoadMasterClient) -> None:
    ANSWERS["/solrbench/unfinished"] = (404, "no document")
    assert master.unfinished() is None
    ANSWERS["/solrbench/unfinished"] = (200, "{}")
    with pytest.raises(TemporaryError, match="VersionMismatch"):
        master.unfinished()


def test_state_of_the_master_is_parsed_and_a_field_of_a_later_version_ignored(
    master: LoadMasterClient,
) -> None:
    assert master.state().stage == "Measuring"
    assert master.state().users == 3


def test_damaged_result_is_asked_for_again_later(master: LoadMasterClient) -> None:
    with failing(TemporaryError, "VersionMismatch", "the response is no result"):
        master.result("damaged")


def test_a_state_of_another_version_is_a_reason_of_its_own(
    master: LoadMasterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = json.dumps({"stage": "Measuring", "users": "secret"})
    monkeypatch.setitem(ANSWERS, "/solrbench/state", (200, later))
    with failing(TemporaryError, "VersionMismatch", "install the operator's version") as caught:
        master.state()
    assert "users" in caught.value.message
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("step_run_id", ["r1-s0-gone", "unknown"])
def test_refused_acknowledgement_is_repeated_later(
    master: LoadMasterClient, step_run_id: str
) -> None:
    with pytest.raises(TemporaryError, match="ack"):
        master.acknowledge(step_run_id)


def test_missing_master_is_a_temporary_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(master_client, "WEB_PORT", 1)
    away = failing(TemporaryError, "LoadMasterUnreachable")
    with LoadMasterClient("127.0.0.1", "t") as gone, away:
        gone.state()


def test_a_result_that_cannot_be_stored_ends_the_benchmark(
    master: LoadMasterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(master_client, "MAX_RESULT_BYTES", 2000)
    with failing(PermanentError, "ResultTooLarge", "more than 2000 bytes"):
        master.result("large")


def test_a_master_at_an_ipv6_address_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Server6(ThreadingHTTPServer):
        address_family = socket.AF_INET6

    try:
        server = Server6(("::1", 0), Master)
    except OSError:
        pytest.skip("there is no IPv6 here")
    monkeypatch.setattr(master_client, "WEB_PORT", server.server_port)
    with in_thread(server), LoadMasterClient("::1", "t") as found:
        assert found.state().users == 3


def test_a_refused_token_says_what_to_do(master: LoadMasterClient) -> None:
    ANSWERS["/solrbench/results/foreign"] = (401, "no token")
    with failing(TemporaryError, "VersionMismatch", "delete the pod of the load master"):
        master.result("foreign")
