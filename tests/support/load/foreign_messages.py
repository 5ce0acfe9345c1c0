"""Messages of workers to the socket of a load master, sent without its token.

`python -m support.load.foreign_messages` prints as JSON how many there were, how many it took, how
many it counted as refused, and whether one that is too long ends its connection: importing Locust
would patch the process of a test.
"""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import zmq
from locust.exception import RPCError
from locust.rpc import Message

from solrbench.load.locust_runtime import MAX_MESSAGE_BYTES, _TokenServer
from solrbench.net.token import TokenCheck

KINDS = ("client_ready", "stats", "exception", "spawning", "heartbeat", "quit")
"""To join, to record, to report errors, to say that one works, and to stop."""
TOKENS: tuple[list[bytes], ...] = ([], [b"of another load"])
WAIT_MILLISECONDS = 10_000

_Message: Any = Message  # it has no types


def _frames() -> Iterator[list[bytes]]:
    for kind in KINDS:
        for token in TOKENS:
            message = _Message(kind, {"state": "ready"}, "foreign")
            yield [b"foreign", message.serialize(), *token]
    raise zmq.ZMQError(zmq.ETERM)


def send_all() -> dict[str, int]:
    """Return what became of a message of each kind with each token."""
    frames, taken = _frames(), 0
    server: Any = object.__new__(_TokenServer)
    server.socket, server._check = SimpleNamespace(recv_multipart=frames.__next__), TokenCheck("t")
    try:
        while True:
            server.recv_from_client()
            taken += 1
    except RPCError:
        sent = len(KINDS) * len(TOKENS)
        return {"sent": sent, "taken": taken, "refused": server._check.refused}


def is_cut_off(size: int) -> bool:
    """Return whether a message with so many bytes ends the connection that it comes by."""
    server: Any = _TokenServer(TokenCheck("t"), "127.0.0.1", 0)  # any free port
    context = zmq.Context()
    worker = context.socket(zmq.DEALER)
    monitor = worker.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    worker.connect(server.socket.getsockopt(zmq.LAST_ENDPOINT).decode())
    worker.send_multipart([bytes(size), b"t"])
    ended = monitor.poll(WAIT_MILLISECONDS) > 0
    context.destroy(linger=0)
    server.close(linger=0)
    return ended


if __name__ == "__main__":
    print(json.dumps(send_all() | {"too_long_is_cut_off": is_cut_off(MAX_MESSAGE_BYTES + 1)}))
