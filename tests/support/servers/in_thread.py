"""A server of the standard library that serves while a test goes on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
