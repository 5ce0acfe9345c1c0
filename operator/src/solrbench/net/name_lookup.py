"""Host names resolved within a time-out, which the C library's resolver does not have."""

import socket
import threading
from queue import Empty, SimpleQueue

LOOKUP_SECONDS = 5.0


def lookup(host: str, seconds: float = LOOKUP_SECONDS) -> list[str]:
    """Return every address of a host, in the resolver's order.

    Args:
        host: name, or address without brackets
        seconds: how long to wait; the lookup itself may go on in a thread of its own

    Raises:
        OSError: if there is no address; `TimeoutError` if there is none in time.
        UnicodeError: if `host` cannot be a host name.

    """
    responses: SimpleQueue[list[str] | Exception] = SimpleQueue()
    thread = threading.Thread(target=_look_up, args=(host, responses), name="lookup", daemon=True)
    thread.start()
    try:
        response = responses.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"{host} was not resolved within {seconds:g} s") from None
    if isinstance(response, Exception):
        raise response
    return response


def _look_up(host: str, responses: "SimpleQueue[list[str] | Exception]") -> None:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        responses.put(error)
    else:
        responses.put(list(dict.fromkeys(str(address[0]) for *_, address in found)))
