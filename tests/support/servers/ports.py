"""Ports for processes that tests start."""

import socket


def free_port() -> int:
    """Return a free port of loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
