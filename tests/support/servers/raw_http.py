"""A server that sends bytes as a test says, also what no good server would."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

HEAD = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n"


@contextmanager
def serving(
    answer: Callable[[socket.socket], None], requests: list[bytes] | None = None
) -> Iterator[str]:
    """Answer one request, and add it to `requests`, with whatever `answer` sends."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                received = connection.recv(65536)
                if requests is not None:
                    requests.append(received)
                with suppress(OSError):  # the client has gone
                    answer(connection)

        thread = Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/x"
        thread.join()


@contextmanager
def dripping(begin: bytes) -> Iterator[str]:
    """Answer one request with `begin`, and then a byte now and then."""
    gone = Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(begin)
        while not gone.wait(0.05):
            connection.sendall(b"x")

    with serving(drip) as url:
        try:
            yield url
        finally:
            gone.set()


def pour(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"\r\n")
    while True:
        connection.sendall(b"x" * 65536)


def sender(data: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(data)
