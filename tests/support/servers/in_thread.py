"""A server of the standard library that serves while a test goes on, and its handlers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer


@contextmanager
def in_thread(server: TCPServer) -> Iterator[str]:
    """Serve in a thread, close in the end; give `host:port` on this machine."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def served_by(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve HTTP in a thread by a handler; give the URL."""
    with in_thread(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield f"http://{address}"


class QuietHandler(BaseHTTPRequestHandler):
    """A handler that logs nothing."""

    def send(
        self, body: bytes, status: int = 200, *, length: int | None = None, **headers: str
    ) -> None:
        """Respond with a body and its length; underscores in names of headers are hyphens.

        The connection breaks in a body that is shorter than `length`.
        """
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        if length is not None and len(body) < length:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""
