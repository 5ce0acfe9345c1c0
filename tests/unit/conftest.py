"""Unit tests need no network: only names and addresses of this machine are looked up."""

import socket
from ipaddress import ip_address
from typing import Any

import pytest

_look_up = socket.getaddrinfo
LOCAL = {None, "", "localhost", socket.gethostname()}


@pytest.fixture(autouse=True, scope="session")
def _no_name_servers() -> Any:
    """Fail for all other names as a resolver does that has no name server, and as soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", _look_up_locally)
        yield


def _look_up_locally(host: Any, *arguments: Any, **options: Any) -> Any:
    name = host.decode() if isinstance(host, bytes) else host
    if name in LOCAL or _is_address(name):
        return _look_up(host, *arguments, **options)
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def _is_address(name: str) -> bool:
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
