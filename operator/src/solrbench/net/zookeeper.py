"""ZooKeeper's four-letter words.

Protocol: ZooKeeper Administrator's Guide, "The Four Letter Words": four bytes to the client
port, a response of text lines, and the server closes the connection.
"""

import socket
import time

from solrbench.net.deadline_transport import AddressCheck
from solrbench.net.name_lookup import lookup

TIMEOUT_SECONDS = 3.0
MAX_RESPONSE_BYTES = 1 << 20
"""The longest response, that of `mntr`, has some kilobytes."""


def send_command(host: str, port: int, word: str) -> str:
    """Return the response to a four-letter word, or an empty string if there is none."""
    try:
        with connect(host, port) as connection:
            connection.sendall(word.encode("ascii"))
            return _read(connection).decode("utf-8", "replace")
    except (OSError, UnicodeError):
        return ""


def _read(connection: socket.socket) -> bytes:
    """Return what comes until the server closes the connection.

    Raises:
        TimeoutError: if it has not done so in time, or sends more than any response has.

    """
    deadline, response = time.monotonic() + TIMEOUT_SECONDS, bytearray()
    while (left := deadline - time.monotonic()) > 0 and len(response) <= MAX_RESPONSE_BYTES:
        connection.settimeout(left)
        part = connection.recv(65536)
        if not part:
            return bytes(response)
        response += part
    raise TimeoutError("the response has no end")


def connect(host: str, port: int, check: AddressCheck | None = None) -> socket.socket:
    """Connect to the first address of a host that takes a connection.

    Args:
        host: name, or address without brackets
        port: of TCP
        check: called with the host and all its addresses before any of them is connected to

    Raises:
        OSError: if there is none.
        UnicodeError: if `host` cannot be a host name.

    """
    error: OSError = OSError(f"{host} has no address")
    found = lookup(host, TIMEOUT_SECONDS)
    if check is not None:
        check(host, found)
    for address in found:
        try:
            return socket.create_connection((address, port), timeout=TIMEOUT_SECONDS)
        except OSError as failed:
            error = failed
    raise error
