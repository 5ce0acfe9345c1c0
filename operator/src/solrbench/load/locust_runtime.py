"""How Locust itself is used: its load shape, its users and its intervals.

Each of Locust's users stands for one virtual user of the engine, so that the counts agree.
Importing Locust patches the process.
"""

import logging
import math
import resource
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import gevent
import zmq
from gevent.event import Event
from locust import LoadTestShape, User, log, runners, task
from locust.exception import RPCError, RPCReceiveError, RPCSendError
from locust.rpc import Message, rpc
from locust.util.exception_handler import retry

from solrbench.load.schedule.messages import MASTER_SILENT_SECONDS, WORKER_SILENT_SECONDS
from solrbench.net.token import TokenCheck


class StepLoadShape(LoadTestShape):
    """A shape that is changed from outside.

    `changed` is set while a level waits to be taken up; a dispatch under way is cut short then.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.changed = Event()
        self._users = 0
        self._rate = 1.0

    def move(self, users: int, rate: int) -> None:
        """Request `users` users, `rate` of them per second."""
        self._users = users
        self._rate = float(rate)
        self.changed.set()

    def redispatch(self) -> None:
        """Let the same level be taken up once more, since workers changed."""
        # Locust skips a level that equals the one before.
        self._rate = math.nextafter(self._rate, math.inf)
        self.changed.set()

    @property
    def is_applied(self) -> bool:
        """Whether Locust has begun to move to the level requested last."""
        return not self.changed.is_set()

    def tick(self) -> tuple[int, float]:
        """Wait for the next level and return its users and rate."""
        self.changed.wait()
        self.changed.clear()
        return self._users, self._rate


MasterRunner = runners.MasterRunner
"""The connections to the workers, for annotations of modules that may not import Locust."""

USER_CLASS = "VirtualUser"


def placeholder_user_class(started: Callable[[], object]) -> type[User]:
    """Return the class of users that call `started` and then stand idle until they are stopped."""

    class VirtualUser(User):
        def on_start(self) -> None:
            started()

        @task
        def idle(self) -> None:
            Event().wait()

    return VirtualUser


MAX_MESSAGE_BYTES = 64 << 20
"""Of each part of a message to the master; the result of a worker has some megabytes."""


class _TokenServer(rpc.Server):
    """The master's socket: of what comes without the token, nothing is read."""

    def __init__(self, check: TokenCheck, host: str, port: int) -> None:
        # What `rpc.Server` does, and a limit, which must be set before the socket is bound: the
        # token is looked at only when all of a message is in memory.
        is_ipv4 = self.ipv4_only(host, port)
        super(rpc.Server, self).__init__(zmq.ROUTER, is_ipv4)  # type: ignore[no-untyped-call]
        self.socket.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        try:
            self.socket.bind(f"tcp://{host}:{port}")
        except zmq.ZMQError as error:
            # Locust knows a port that is taken by these words.
            raise RPCError(f"Socket bind failure: {error}") from error
        self._check = check

    def recv_from_client(self) -> tuple[str, Message]:
        while True:
            try:
                sender, *frames = self.socket.recv_multipart()
            except zmq.ZMQError as error:
                raise RPCError("ZMQ network broken") from error
            body, token = frames if len(frames) == 2 else (b"", None)
            if not self._check.admits(token, "message of a worker"):
                # Messages that are there already are taken without a switch: others must run, too.
                gevent.sleep(0)
                continue
            try:
                worker = sender.decode()
                return worker, Message.unserialize(body)
            except ValueError as error:
                raise RPCReceiveError("corrupted message", addr=None) from error


class _TokenClient(rpc.Client):
    """The worker's socket, which ends each message with the token."""

    def __init__(self, check: TokenCheck, host: str, port: int, identity: str) -> None:
        super().__init__(host, port, identity)  # type: ignore[no-untyped-call]
        self._token = check.token

    @retry()  # type: ignore[untyped-decorator]
    def send(self, msg: Message) -> None:
        try:
            self.socket.send_multipart([msg.serialize(), self._token], zmq.NOBLOCK)
        except zmq.ZMQError as error:
            raise RPCSendError("ZMQ sent failure") from error


def configure_locust(check: TokenCheck, worker_silent_seconds: int = WORKER_SILENT_SECONDS) -> None:
    """Set logging, heartbeats and reports of this process, and how its messages are trusted."""
    # Where Locust looks up its sockets: for the first one and for each that replaces a broken one.
    vars(runners)["rpc"] = SimpleNamespace(
        Server=partial(_TokenServer, check), Client=partial(_TokenClient, check)
    )
    log.setup_logging("INFO")
    # Users that only stand for those of the engine cost nothing to spawn, so Locust need not warn.
    logging.getLogger(runners.__name__).addFilter(
        lambda record: not str(record.msg).startswith("Your selected spawn rate is very high")
    )
    # Locust's own is 3 s; the page shall show each second, and users that are gone.
    runners.WORKER_REPORT_INTERVAL = 1.0
    runners.HEARTBEAT_LIVENESS = worker_silent_seconds
    runners.MASTER_HEARTBEAT_TIMEOUT = MASTER_SILENT_SECONDS


def allow_many_connections() -> None:
    """Use all the open files that the system grants; many start with fewer."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
