"""Locust's users: each stands for one virtual user of the engine, so that the counts agree."""

from collections.abc import Callable

from gevent.event import Event
from locust import User, task

USER_CLASS = "VirtualUser"


def placeholder_user_class(started: Callable[[], None]) -> type[User]:
    """Return the class of users that call `started` and then stand idle until they are stopped."""

    class VirtualUser(User):
        def on_start(self) -> None:
            started()

        @task
        def idle(self) -> None:
            Event().wait()

    return VirtualUser
