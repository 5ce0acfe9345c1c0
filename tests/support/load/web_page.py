"""The web page of a load master without Locust."""

from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient

from solrbench.contract.load_plan import LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.load.master.result_store import ResultStore, add_guard, add_routes
from solrbench.net.token import TOKEN_HEADER, TokenCheck


class Page:
    """Stands for Locust's app: its own buttons only note that they were pressed."""

    def __init__(self, folder: Path) -> None:
        self.pressed: list[str] = []
        self.stops = 0
        self.unfinished: StepRunResult | None = None
        self.store = ResultStore(folder)
        app = Flask("page")
        for path in ("/swarm", "/stop", "/user", "/stats/reset", "/other"):
            app.add_url_rule(path, path, lambda path=path: self.press(path), methods=["POST"])
        app.add_url_rule("/", "page", lambda: "the page")
        self.check = TokenCheck("t")
        add_guard(app, self.check, self.stop)
        add_routes(app, self.state, self.store, lambda: self.unfinished)
        self.client: FlaskClient = app.test_client()
        self.client.environ_base[f"HTTP_{TOKEN_HEADER.upper().replace('-', '_')}"] = "t"
        self.foreign: FlaskClient = app.test_client()

    def press(self, path: str) -> str:
        self.pressed.append(path)
        return "done"

    def stop(self) -> None:
        self.stops += 1

    def state(self) -> LoadState:
        return LoadState(stage="Measuring", step_run_id="r1-s0-a", requests_per_second=12.5)
