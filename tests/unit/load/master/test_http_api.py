from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from solrbench.load.master.http_api import add_routes
from solrbench.load.master.result_store import ResultStore
from solrbench.plan.load_plan import LoadState
from solrbench.results.model.step_result import StepRunResult
from support.load.worker_results import merged_document


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
        add_routes(app, self.state, self.store, self.stop, lambda: self.unfinished)
        self.client: FlaskClient = app.test_client()

    def press(self, path: str) -> str:
        self.pressed.append(path)
        return "done"

    def stop(self) -> None:
        self.stops += 1

    def state(self) -> LoadState:
        return LoadState(stage="Measuring", step_run_id="r1-s0-a", requests_per_second=12.5)


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(tmp_path)


def test_state_is_what_the_operator_parses(page: Page) -> None:
    answer = page.client.get("/solrbench/state")
    assert answer.mimetype == "application/json"
    assert LoadState.model_validate_json(answer.data) == page.state()
    assert answer.get_json()["requestsPerSecond"] == 12.5


def test_the_step_under_way_is_there_while_it_is_measured(page: Page) -> None:
    assert page.client.get("/solrbench/unfinished").status_code == 404
    page.unfinished = merged_document("r1-s0-a")
    answer = page.client.get("/solrbench/unfinished")
    assert StepRunResult.model_validate_json(answer.data) == page.unfinished


def test_document_is_there_until_acknowledged(page: Page) -> None:
    page.store.add(merged_document("r1-s0-a"))
    answer = page.client.get("/solrbench/results/r1-s0-a")
    assert StepRunResult.model_validate_json(answer.data) == merged_document("r1-s0-a")
    assert page.client.post("/solrbench/results/r1-s0-a/ack").status_code == 204
    assert page.client.post("/solrbench/results/r1-s0-a/ack").status_code == 204
    gone = page.client.get("/solrbench/results/r1-s0-a")
    assert gone.status_code == 404
    assert "no document r1-s0-a" in gone.get_json()["message"]
    assert page.client.post("/solrbench/results/r1-s1-b/ack").status_code == 404


@pytest.mark.parametrize("path", ["/swarm", "/user", "/stats/reset"])
def test_buttons_that_would_bend_the_run_do_nothing(page: Page, path: str) -> None:
    answer = page.client.post(path, data={"user_count": 1000})
    assert answer.get_json()["success"] is False
    assert page.pressed == []


def test_stop_ends_the_run_instead_of_locusts_own_stop(page: Page) -> None:
    assert page.client.post("/stop").get_json()["success"] is True
    assert (page.stops, page.pressed) == (1, [])


def test_everything_else_is_left_to_locust(page: Page) -> None:
    assert page.client.post("/other").data == b"done"
