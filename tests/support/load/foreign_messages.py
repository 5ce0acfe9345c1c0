"""Messages of workers to the socket of a load master, sent without its token.

`python -m support.load.foreign_messages` prints as JSON how many there were, how many it took, and
how many it counted as refused: importing Locust would patch the process of a test.
"""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import zmq
from locust.exception import RPCError
from locust.rpc import Message

from solrbench.load.locust_runtime import _TokenServer
from solrbench.net.token import TokenCheck

KINDS = ("client_ready", "stats", "exception", "spawning", "heartbeat", "quit")
"""To join, to record, to report errors, to say that one works, and to stop."""
TOKENS: tuple[list[bytes], ...] = ([], [b"of another load"])

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


if __name__ == "__main__":
    print(json.dumps(send_all()))
