from pathlib import Path
from typing import Any

import gevent
import pytest

from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.request_mix import StepIndexing
from solrbench.contract.load_plan import LoadPlan, LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.load.master.result_store import ListOffsets, ResultStore, max_requests_sent, resumed
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.arrivals import Schedule, arrivals_seed
from solrbench.load.schedule.messages import step_assignment
from solrbench.net.token import TOKEN_HEADER
from support.load.builders import plan_of, workload
from support.load.web_page import Page
from support.load.worker_results import merged_document, outcome
from support.narrowing import not_none


def test_document_stays_until_it_is_acknowledged(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results")
    store.add(merged_document("r1-s0-a"))
    store.add(merged_document("r1-s1-b"))
    assert store.unacknowledged == ["r1-s0-a", "r1-s1-b"]
    text = not_none(store.get("r1-s0-a"))
    assert StepRunResult.model_validate_json(text) == merged_document("r1-s0-a")
    assert (tmp_path / "results" / "r1-s0-a.json").read_text() == text
    assert store.acknowledge("r1-s0-a")
    assert store.unacknowledged == ["r1-s1-b"]
    assert store.get("r1-s0-a") is None
    assert not (tmp_path / "results" / "r1-s0-a.json").exists()


def test_document_survives_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = ResultStore(tmp_path / "file" / "results")
    store.add(merged_document("r1-s0-a"))
    assert store.get("r1-s0-a") is not None
    assert store.acknowledge("r1-s0-a")


def test_waiting_for_an_empty_store_ends(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.add(merged_document("r1-s0-a"))
    waiting = gevent.spawn(store.wait_until_empty)
    assert not waiting.ready()
    gevent.spawn(store.acknowledge, "r1-s0-a")
    waiting.join(5)
    assert waiting.ready()


EXACT = Step(name="one", users=3, requests=100)
TIMED = Step(name="one", users=3, duration_seconds=5)


def plan(step: Step = EXACT, order: str = "Once", **fields: Any) -> LoadPlan:
    step_runs = [{"id": "r1-s0-one", "repeat": 1, "step": step}]
    return plan_of(workload(order), workers=2, stepRuns=step_runs, **fields)


def used(*numbers: int) -> WorkerStepResult:
    return outcome(used_numbers=numbers)


def test_each_entry_goes_on_apart_behind_the_fastest_worker() -> None:
    first = ListOffsets((True, False)).advanced_by([used(3, 0), used(5, 9)])
    assert first == ListOffsets((True, False), (5, 9))
    assert first.advanced_by([used(1, 0), used(0, 0)]).offsets == (6, 9)
    assert first.advanced_by([]).offsets == (5, 9)


def test_a_lost_worker_may_have_been_the_fastest() -> None:
    assert ListOffsets((False, True)).advanced_by([used(3, 1)], lost=True).may_repeat
    assert not ListOffsets((False, False)).advanced_by([used(3, 1)], lost=True).may_repeat


def test_only_lists_that_are_gone_through_once_skip_what_lost_tries_sent() -> None:
    mark = ListOffsets((True, False, True), (5, 6))
    assert mark.skip_lost(100, 2) == ListOffsets((True, False, True), (205, 6, 200))
    assert mark.skip_lost(None) == ListOffsets((True, False, True), (5, 6), may_repeat=True)
    assert mark.skip_lost(None, 0) == mark
    assert ListOffsets((False,), (5,)).skip_lost(None) == ListOffsets((False,), (5,))


def before(**fields: Any) -> dict[str, Any]:
    return {"resumption": {"offsets": [40]} | fields}


def test_attempt_begins_behind_stored_and_lost_step_runs() -> None:
    assert resumed(plan()) == ListOffsets((True,))
    assert resumed(plan(**before())) == ListOffsets((True,), (40,))
    lost = before(lostSteps=2, lostWarmUps=1)
    assert resumed(plan(warmUp={"requests": 7}, **lost)) == ListOffsets((True,), (247,))
    assert resumed(plan(order="Sequential", **lost)) == ListOffsets((False,), (40,))


@pytest.mark.parametrize(
    ("step", "fields"),
    [
        (TIMED, before(lostSteps=1)),
        (EXACT, before(lostSteps=1, lostWarmUps=1) | {"warmUp": {"durationSeconds": 3}}),
        (EXACT, before(mayRepeat=True)),
        # Within the lost attempt a step may have been begun several times.
        (EXACT, before(lostSteps=1) | {"onWorkerLoss": "Redistribute"}),
    ],
)
def test_unknown_offsets_are_reported(step: Step, fields: dict[str, Any]) -> None:
    assert resumed(plan(step, **fields)).may_repeat
    assert not resumed(plan(step, order="Sequential", **fields)).may_repeat


def test_lost_updates_of_a_step_that_indexes_are_of_no_list() -> None:
    step = TIMED.model_copy(update={"indexing": StepIndexing()})
    lost = before(lostSteps=1, lostWarmUps=1) | {"onWorkerLoss": "Redistribute"}
    assert resumed(plan(step, **lost)) == ListOffsets((True,), (40,))


@pytest.mark.parametrize("length", [{"durationSeconds": 4}, {"requests": 300}])
@pytest.mark.parametrize("arrivals", ["Poisson", "Uniform"])
def test_a_planned_rate_sends_at_most_its_arrivals(length: dict[str, int], arrivals: str) -> None:
    rate = {"requestsPerSecond": 50, "rampSeconds": 2, "arrivalDistribution": arrivals}
    step = Step.model_validate({"name": "one"} | rate | length)
    whole = plan(step)
    duty = step_assignment(whole, whole.step_runs[0])
    assert duty.open_loop is not None
    seed = arrivals_seed(whole.workload.draw_seed, 1, "one")
    sent = [list(Schedule(duty.open_loop, seed, index, 2).arrival_times_ns()) for index in range(2)]
    assert max_requests_sent(duty, whole.workload) == sum(len(each) for each in sent) > 200


def test_users_send_what_a_step_wants_or_any_number() -> None:
    exact, timed = plan(EXACT), plan(TIMED)
    assert max_requests_sent(step_assignment(exact, exact.step_runs[0]), exact.workload) == 100
    assert max_requests_sent(step_assignment(timed, timed.step_runs[0]), timed.workload) is None


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


@pytest.mark.parametrize("given", ["T", "t ", "\u00e9"])
def test_another_token_stops_nothing(page: Page, given: str) -> None:
    answer = page.foreign.post("/stop", headers={TOKEN_HEADER: given})
    assert answer.status_code == 401
    assert "solrbench open" in answer.get_json()["message"]
    assert (page.stops, page.check.refused) == (0, 1)


def test_the_page_that_is_opened_with_the_token_may_stop_the_run(page: Page) -> None:
    assert page.foreign.get("/").data == b"the page"
    answer = page.foreign.get("/?token=t")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert page.foreign.post("/stop", headers={"Origin": "http://localhost"}).status_code == 200
    assert page.stops == 1


def test_another_page_of_the_browser_may_not_stop_it(page: Page) -> None:
    page.foreign.get("/?token=t")
    for origin in ("http://localhost:3000", "https://elsewhere.example", "null"):
        assert page.foreign.post("/stop", headers={"Origin": origin}).status_code == 401
    assert page.stops == 0


def test_the_page_gives_no_cookie_for_another_token(page: Page) -> None:
    assert "Set-Cookie" not in page.foreign.get("/?token=x").headers
    assert page.foreign.post("/stop").status_code == 401
    assert page.check.refused == 2
