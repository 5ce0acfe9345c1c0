"""Unit tests need no network, and may be coroutines.

Only names and addresses of this machine are looked up.
"""

import asyncio
import contextlib
import inspect
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import pytest
import uvloop

from support.fakes.virtual_time import VirtualTimeLoop

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


@pytest.fixture
def loop() -> Iterator[VirtualTimeLoop]:
    """Give the loop in which a test that is a coroutine runs, if it asks for virtual time.

    A module may have a loop of its own by this name.
    """
    with contextlib.closing(VirtualTimeLoop()) as loop:
        yield loop


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine: in the loop that it asks for, or in the load worker's."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    loop = pyfuncitem.funcargs.get("loop")
    if isinstance(loop, asyncio.AbstractEventLoop):
        loop.run_until_complete(test)
    else:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(test)
    return True
