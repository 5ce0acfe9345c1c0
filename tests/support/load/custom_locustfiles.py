"""Loads of processes that run a user's own locustfile."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.load.processes import Load, make_plan, running
from support.servers.http_server import HttpServer

FAST = """
import os
from locust import FastHttpUser, constant, task

assert os.environ["SOLRBENCH_COLLECTION"] == "books"

class Reader(FastHttpUser):
    wait_time = constant(0.01)

    def on_start(self):
        self.client.get("/select?q=hello", name="log-in")

    @task
    def read(self):
        self.client.get("/select?q=" + os.environ["WORD"], name="read")
"""


def custom_plan(server: HttpServer, *steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    custom = {"configMap": {"name": "mine"}, "environment": {"WORD": "river"}}
    custom |= fields.pop("locustfile", {})
    workload = {"locustfile": custom, "timeoutSeconds": 2}
    return make_plan(server, *steps, workload=workload, **fields)


@contextmanager
def custom_load(
    folder: Path,
    plan: dict[str, Any],
    locustfile: str,
    options: dict[str, Any] | None = None,
    **more: str,
) -> Iterator[Load]:
    """Run `locustfile` with the modules `more` beside it."""
    (folder / "locustfile.py").write_text(locustfile)
    for name, text in more.items():
        (folder / f"{name}.py").write_text(text)
    options = {"locustfile-folder": str(folder)} | (options or {})
    with running(folder, plan, "", **options) as load:
        yield load
