"""What a ZooKeeper ensemble reports of itself, by its four-letter words.

Protocol: ZooKeeper Administrator's Guide, "The Four Letter Words": four bytes to the client port, a
response of text lines, and the server closes the connection.
"""

import math
import re
import socket
import time
from contextlib import suppress

from solrbench.net.deadline import AddressCheck, lookup

TIMEOUT_SECONDS = 3.0
ALL_SECONDS = 60.0
"""For all members of an outside ensemble: a name of it may have any number of addresses."""
MAX_RESPONSE_BYTES = 1 << 20
"""The longest response, that of `mntr`, has some kilobytes."""


def send_command(host: str, port: int, word: str) -> str:
    """Return the response to a four-letter word, or an empty string if there is none.

    It ends where the server closes the connection. One that does not do so in time, or sends more
    than any response has, gave none.
    """
    response = bytearray()
    with suppress(OSError, UnicodeError), connect(host, port) as connection:
        connection.sendall(word.encode("ascii"))
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while (left := deadline - time.monotonic()) > 0 and len(response) <= MAX_RESPONSE_BYTES:
            # The time-out of a socket begins anew with each read.
            connection.settimeout(left)
            part = connection.recv(65536)
            if not part:
                return response.decode("utf-8", "replace")
            response += part
    return ""


def connect(
    host: str, port: int, check: AddressCheck | None = None, end: float = math.inf
) -> socket.socket:
    """Connect to the first address of a host, in no brackets, that takes a connection.

    `check` is called with the host and all its addresses before any of them is connected to. An
    `OSError` says that there is none, or none before `end` of the monotonic clock, a `UnicodeError`
    that `host` cannot be a host name.
    """
    error: OSError = OSError(f"{host} has no address, or gave none in time")
    left = min(TIMEOUT_SECONDS, end - time.monotonic())
    if left <= 0:
        raise error
    addresses = lookup(host, left)
    if check is not None:
        check(host, addresses)
    for address in addresses:
        left = min(TIMEOUT_SECONDS, end - time.monotonic())
        if left <= 0:
            break
        try:
            return socket.create_connection((address, port), timeout=left)
        except OSError as failed:
            error = failed
    raise error


def any_reachable(servers: str, check: AddressCheck | None = None) -> bool:
    """Return whether one of `host:port,[address]:port`, a connection string, takes a connection."""
    end = time.monotonic() + ALL_SECONDS
    for server in servers.split(","):
        host, _, port = server.rpartition(":")
        try:
            # No word is sent: an outside ensemble may serve none.
            connect(host.strip("[]"), int(port), check, end).close()
        except (OSError, ValueError):  # ValueError: no port, or no host name
            continue
        return True
    return False


def ensemble_size(hosts: list[str], port: int) -> int:
    """Return the members that serve: the leader and the followers in step with it, or 0.

    A lone server has the state `standalone` and counts as 1.
    """
    for host in hosts:
        words = (line.partition("\t") for line in send_command(host, port, "mntr").splitlines())
        values = {name: value.strip() for name, _, value in words}
        if values.get("zk_server_state") == "standalone":
            return 1
        if values.get("zk_server_state") == "leader":
            return 1 + int(float(values.get("zk_synced_followers", "0")))
    return 0


def max_heap_bytes(host: str, port: int) -> int | None:
    """Return the maximum heap of a member's JVM in bytes, to the mebibyte.

    `None` if the member does not serve `envi`, which it must list in `4lw.commands.whitelist`. The
    line is `os.memory.max=512MB`, of `Runtime.maxMemory` (ZooKeeper 3.5 and later).
    """
    match = re.search(r"^os\.memory\.max=(\d+)MB$", send_command(host, port, "envi"), re.MULTILINE)
    return int(match[1]) * 2**20 if match else None
