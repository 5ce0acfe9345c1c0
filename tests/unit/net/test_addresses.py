import socket

import pytest

from solrbench.net.addresses import single_family, url_host, wildcard_address


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("search.team.svc", "search.team.svc"),
        ("10:244::17", "[10:244::17]"),
        ("[10:244::17]", "[10:244::17]"),
    ],
)
def test_only_ipv6_has_brackets(host: str, expected: str) -> None:
    assert url_host(host) == expected


def test_a_server_with_a_socket_for_each_family_binds_both() -> None:
    assert single_family("::") == ["0.0.0.0", "::"]
    assert single_family("127.0.0.1") == ["127.0.0.1"]


def test_without_ipv6_the_wildcard_is_that_of_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> socket.socket:
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(socket, "create_server", refuse)
    assert wildcard_address() == "0.0.0.0"
