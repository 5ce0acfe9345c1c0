"""A JVM as seen by who attaches to it: a request to listen, and a socket with its protocol."""

import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

Respond = Callable[[str], str]


class FakeJvm:
    """This process as a JVM, in a `/proc` of its own; it listens when it gets SIGQUIT."""

    def __init__(self, proc: Path, respond: Respond, *, listens: bool) -> None:
        self.proc = proc
        self.pid = os.getpid()
        self.commands: list[str] = []
        self.tmp = proc / str(self.pid) / "root" / "tmp"
        self.tmp.mkdir(parents=True)
        self.handle_quit(yes=True)
        self._respond = respond
        self._listens = listens
        self._listener: socket.socket | None = None

    def quit(self, _signal: int, _frame: FrameType | None) -> None:
        """Begin to listen, if someone asks for it by the file."""
        if self._listens and (self.tmp / f".attach_pid{self.pid}").exists():
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(self.tmp / f".java_pid{self.pid}"))
            self._listener.listen()
            threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()

    def handle_quit(self, *, yes: bool) -> None:
        """Show whether there is a handler of SIGQUIT, which ends a process that has none."""
        status = self.proc / str(self.pid) / "status"
        status.write_text(f"Name:\tjava\nSigCgt:\t{4 if yes else 3:016x}\n")

    def close(self) -> None:
        if self._listener is not None:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                words = b""
                while words.count(b"\0") < 5:
                    words += connection.recv(4096)
                protocol, name, command, *_ = words.decode().split("\0")
                assert (protocol, name) == ("1", "jcmd")
                self.commands.append(command)
                connection.sendall(self._respond(command).encode())


@contextmanager
def fake_jvm(respond: Respond, *, listens: bool = True) -> Iterator[FakeJvm]:
    """Be a JVM; the paths of sockets must be short, which those of tests are not."""
    folder = tempfile.mkdtemp(prefix="jvm")
    jvm = FakeJvm(Path(folder), respond, listens=listens)
    before = signal.signal(signal.SIGQUIT, jvm.quit)
    try:
        yield jvm
    finally:
        signal.signal(signal.SIGQUIT, before)
        jvm.close()
        shutil.rmtree(folder)
