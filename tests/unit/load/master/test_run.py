"""Whole runs on workers that obey, with losses, failures and an early stop.

What the master measures next.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.windows import CacheSample
from solrbench.load.errors import LoadError
from solrbench.load.master.run import RunSchedule
from solrbench.load.master_client import MAX_STATE_BYTES
from solrbench.load.schedule.messages import FAILED, Abort, Assignment
from solrbench.reasons.load import LoadReason
from solrbench.reasons.target import TargetReason
from support.load.builders import queries_spec, workload
from support.load.coordinated_run import EMPTIED, STARTED, TIMED, Run
from support.load.fake_workers import load_plan
from support.narrowing import not_none
from support.results.builders import make_document, make_timed_result
from support.results.trials import probe, trial

EXACT = {"name": "exact", "users": 4, "requests": 20}
REDISTRIBUTE: dict[str, Any] = {"onWorkerLoss": "Redistribute"}
WARMED: dict[str, Any] = {"warmUp": {"durationSeconds": 5}}


def test_collapsed_step_keeps_what_it_measured() -> None:
    long = TIMED | {"durationSeconds": 600}
    run = Run(long, stop={"collapseSeconds": 20})
    run.workers.fails_from_second = 30
    state = run.run()
    assert state.unacknowledged == ["r1-s0-timed"]
    document = run.document("r1-s0-timed")
    ended = not_none(document.ended_early)
    assert 48 <= ended.second <= 52
    assert 27 <= ended.last_good_second <= 31
    assert document.requests[0].requests > 0
    assert document.duration_seconds is None


def test_run_from_first_worker_to_last_result() -> None:
    run = Run(TIMED, EXACT, **WARMED)
    state = run.run()
    assert run.stages == ["WaitingForWorkers", "WarmingUp", *("Ramping", "Measuring") * 2]
    assert (state.stage, state.step, state.requests) == ("Finished", None, 0)
    assert state.unacknowledged == ["r1-s0-timed", "r1-s1-exact"]
    assert run.keys == ["r1-s0-timed/warm-up", "r1-s0-timed", "r1-s1-exact"]
    timed, exact = (run.document(each) for each in state.unacknowledged)
    # Joined after 1 s, spawned in 1, warmed up in 5, spawned in 1.
    assert timed.start_time == STARTED + timedelta(seconds=8)
    assert exact.start_time == STARTED + timedelta(seconds=19)
    assert (timed.warm_up_requests, exact.warm_up_requests, exact.attempt) == (20, 0, 2)
    assert [each.worker for each in timed.workers] == ["pod-a", "pod-b"]
    assert run.caches.begun == len(run.caches.ended) == 3
    assert run.asked == []
    assert (timed.list_offsets, exact.list_offsets) == ([20], [30])
    assert run.load.shape.levels == [(4, 1_000_000), (0, 1_000_000)] * 3


def test_every_ladder_begins_with_a_warm_up_at_the_first_query() -> None:
    run = Run(TIMED, EXACT, repeats=2, resumption={"offsets": [500]}, **WARMED)
    run.run()
    offsets = [part.offset_of(0) for worker, part in run.load.sent(Assignment) if worker == "a"]
    assert offsets == [500, 510, 520, 0, 10, 20]
    assert run.keys == [
        *("r1-s0-timed/warm-up", "r1-s0-timed", "r1-s1-exact"),
        *("r2-s0-timed/warm-up", "r2-s0-timed", "r2-s1-exact"),
    ]


def test_each_step_is_prepared_alike() -> None:
    run = Run(TIMED, EXACT, preparesEachStep=True, emptiesCaches=True, **WARMED)
    run.run()
    assert run.keys == [
        *("r1-s0-timed/warm-up", "r1-s0-timed"),
        *("r1-s1-exact/warm-up", "r1-s1-exact"),
    ]
    assert [each.step for each in run.emptied] == ["timed", "exact"]
    documents = [run.document(each) for each in ("r1-s0-timed", "r1-s1-exact")]
    assert [each.warm_up_requests for each in documents] == [20, 20]
    assert [each.emptied_caches for each in documents] == [EMPTIED, EMPTIED]


def test_requests_of_the_last_step_are_not_shown_while_caches_are_emptied() -> None:
    run = Run(TIMED, EXACT, preparesEachStep=True, emptiesCaches=True)
    run.run()
    assert [(each.stage, each.requests, each.elapsed_seconds) for each in run.emptied] == [
        ("EmptyingCaches", 0, 0),
        ("EmptyingCaches", 0, 0),
    ]


def test_caches_are_emptied_before_each_repeat() -> None:
    run = Run(TIMED, EXACT, repeats=2, emptiesCaches=True)
    run.run()
    assert [each.step for each in run.emptied] == ["timed", "timed"]
    assert run.document("r2-s1-exact").emptied_caches is None


def test_caches_that_cannot_be_emptied_end_the_run() -> None:
    run = Run(TIMED, emptiesCaches=True)
    run.empty_error = LoadError(LoadReason.CACHES_NOT_EMPTY, "3 entries")
    assert run.fail().reason == "CachesNotEmpty"
    assert run.keys == []


def test_queries_of_a_warm_up_leave_the_lists_of_the_steps_alone() -> None:
    own = workload(timeout_seconds=2, warm_up_queries=queries_spec())
    run = Run(TIMED, EXACT, workload=own, preparesEachStep=True, **WARMED)
    run.run()
    offsets = [part.offset_of(0) for worker, part in run.load.sent(Assignment) if worker == "a"]
    assert offsets == [0, 0, 0, 10]


def test_repeat_that_may_not_be_needed_waits_for_the_operator() -> None:
    run = Run(TIMED, EXACT, repeats=3, waitsFromRepeat=3)
    waiting: list[list[str]] = []

    def store() -> None:
        state = run.state
        if state.stage == "Storing":
            waiting.append(state.unacknowledged)
            for each in state.unacknowledged:
                run.store.acknowledge(each)
        run.load.clock.after(1, store)

    store()
    run.run()
    assert waiting == [["r1-s0-timed", "r1-s1-exact", "r2-s0-timed", "r2-s1-exact"]]
    assert run.stages.count("Storing") == 1
    assert run.state.unacknowledged == ["r3-s0-timed", "r3-s1-exact"]


def test_nothing_is_sent_if_the_run_cannot_begin() -> None:
    def refuse() -> None:
        raise LoadError(TargetReason.TARGET_UNREACHABLE, "none of 3 nodes responded")

    run = Run(TIMED)
    run.coordinator.prepare = refuse
    assert run.fail().reason == "TargetUnreachable"
    assert run.load.runner.sent == []
    state = run.state
    assert (state.stage, state.reason) == ("Failed", "TargetUnreachable")
    assert state.message == "none of 3 nodes responded"


def test_loss_fails_the_run_but_not_what_is_finished() -> None:
    run = Run(EXACT, TIMED)
    run.at(10, lambda: run.load.lose("a"))
    assert str(run.fail()) == "WorkerLost: worker pod-a was lost"
    state = run.state
    assert (state.stage, state.step, state.workers) == ("Failed", None, 1)
    assert state.unacknowledged == ["r1-s0-exact"]


def test_aborted_step_is_run_again_by_who_is_left() -> None:
    run = Run(EXACT, **REDISTRIBUTE)
    run.at(3, lambda: run.load.lose("b"))
    run.run()
    assert run.keys == ["r1-s0-exact", "r1-s0-exact/again-1"]
    assert run.stages == ["WaitingForWorkers", *("Ramping", "Measuring") * 2]
    # The lost worker, too: it may only be cut off.
    abort = Abort(key="r1-s0-exact")
    assert run.load.sent(Abort) == [("a", abort), ("b", abort)]
    assert run.load.shape.levels == [(4, 1_000_000), (0, 1_000_000)] * 2
    assert run.caches.begun == len(run.caches.ended) == 2
    document = run.document("r1-s0-exact")
    assert ([each.worker for each in document.workers], document.lost_workers) == (["pod-a"], [])
    assert document.start_time == STARTED + timedelta(seconds=4)


def test_failure_that_quotes_a_whole_response_fits_into_the_state() -> None:
    run = Run(TIMED)
    # As of a locustfile whose `on_start` raises the text of a response.
    message = "not a login page: " + "<p>" * MAX_STATE_BYTES
    words = {"reason": "LocustfileFailed", "message": message}
    run.at(3, lambda: run.load.runner.deliver("a", FAILED, **words))
    assert run.fail().reason is LoadReason.LOCUSTFILE_FAILED
    state = run.state
    assert (state.message or "").startswith("not a login page: <p>")
    assert len(state.model_dump_json()) < MAX_STATE_BYTES


def lose_after_results(run: Run, patch: pytest.MonkeyPatch) -> None:
    """Lose a worker when the caches are read, as all results are there."""

    def lose(_: float) -> list[CacheSample]:
        run.load.lose("a")
        return []

    patch.setattr(run.caches, "end", lose)


def test_loss_after_the_results_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(TIMED, EXACT)
    lose_after_results(run, monkeypatch)
    assert run.fail().message == "worker pod-a was lost"
    assert run.store.unacknowledged == ["r1-s0-timed"]
    assert run.coordinator.unfinished() is None


def test_loss_after_the_last_results_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(TIMED)
    lose_after_results(run, monkeypatch)
    state = run.run()
    assert (state.stage, state.unacknowledged) == ("Finished", ["r1-s0-timed"])


def test_step_is_run_again_as_often_as_a_worker_is_lost() -> None:
    run = Run(EXACT, workers=3, **REDISTRIBUTE)
    run.at(1.5, lambda: run.load.lose("b"))
    run.at(4, lambda: run.load.lose("a"))
    run.run()
    assert run.keys == [f"r1-s0-exact{again}" for again in ("", "/again-1", "/again-2")]
    assert [part.workers for _, part in run.load.sent(Assignment)] == [3, 3, 3, 2, 2, 1]


def test_step_that_went_on_names_the_lost_worker() -> None:
    run = Run(TIMED, EXACT, **REDISTRIBUTE)
    run.at(5, lambda: run.load.lose("a"))
    run.run()
    assert run.keys == ["r1-s0-timed", "r1-s1-exact"]
    assert run.document("r1-s0-timed").lost_workers == ["pod-a"]
    assert run.document("r1-s1-exact").lost_workers == []


def each_once(*steps: dict[str, Any]) -> Run:
    return Run(*steps, workload=workload("Once", timeout_seconds=2), **REDISTRIBUTE)


def test_finite_list_goes_on_when_the_step_before_is_stored() -> None:
    run = each_once(EXACT, TIMED)
    run.at(20, lambda: run.store.acknowledge("r1-s0-exact"))
    run.run()
    storing = [state for state in run.states if state.stage == "Storing"]
    assert (storing[0].step, storing[0].unacknowledged) == (None, ["r1-s0-exact"])
    assert run.stages[-3:] == ["Storing", "Ramping", "Measuring"]
    waited = run.document("r1-s1-timed").start_time - STARTED
    assert timedelta(seconds=21) <= waited <= timedelta(seconds=21.25)


@pytest.mark.parametrize(
    ("step", "lost_at", "offset", "may_repeat"),
    [
        # Nothing is sent before the barrier.
        (EXACT, 1.5, 0, False),
        # At most all requests of the step were sent.
        (EXACT, 4, 20, False),
        # Users who send for a time can have sent any number.
        ({**TIMED, "spawnRate": 2}, 1.5, 0, True),
    ],
)
def test_finite_list_goes_on_behind_what_an_aborted_step_can_have_sent(
    step: dict[str, Any], lost_at: float, offset: int, may_repeat: bool
) -> None:
    run = each_once(step)
    run.at(lost_at, lambda: run.load.lose("b"))
    run.run()
    assert len(run.keys) == 2
    _, again = run.load.sent(Assignment)[-1]
    assert again.offset_of(0) == offset
    assert run.document(run.keys[0]).queries_may_repeat is may_repeat


@pytest.mark.parametrize(("fields", "repeats"), [({}, True), ({"indexing": {}}, False)])
def test_lost_worker_may_have_been_the_furthest_in_a_finite_list(
    fields: dict[str, Any], repeats: bool
) -> None:
    run = each_once(TIMED | fields, EXACT)
    run.at(5, lambda: run.load.lose("b"))
    documents = []

    def store() -> None:
        documents.append(run.document("r1-s0-timed"))
        run.store.acknowledge("r1-s0-timed")

    run.at(20, store)
    run.run()
    documents.append(run.document("r1-s1-exact"))
    # A step that indexes sends nothing of the list.
    assert [each.queries_may_repeat for each in documents] == [False, repeats]


@pytest.mark.parametrize(("kind", "names"), [("locustfile", 20), ("queries", 30)])
def test_request_names_of_a_locustfile_are_few(kind: str, names: int) -> None:
    load = {kind: {"configMap": {"name": "any"}}}
    run = Run(EXACT, workload=load, maxRequestNames=20)
    run.workers.names = [f"name-{number}" for number in range(30)]
    run.run()
    assert len(run.document("r1-s0-exact").requests) == names


@pytest.mark.parametrize("seconds", [0.5, 1.5, 5])
def test_stop_fails_the_run(seconds: float) -> None:
    run = Run(TIMED)
    run.at(seconds, run.coordinator.stop)
    failure = run.fail()
    assert (failure.reason, run.load.clock.now()) == ("StoppedByUser", seconds)
    state = run.state
    assert (state.stage, state.reason) == ("Failed", "StoppedByUser")
    assert state.message == "the run was stopped from the Locust web UI"


def test_stop_after_the_end_changes_nothing() -> None:
    run = Run(EXACT)
    run.run()
    run.coordinator.stop()
    run.load.pool.wait(lambda: True)
    assert run.state.stage == "Finished"


STEPS: list[dict[str, Any]] = [
    {"name": name, "users": 4, "durationSeconds": 10} for name in ("low", "middle", "high")
]
FAST = {"name": "fast", "responseTime": {"maxMilliseconds": 1}, "failFast": True}


def run(plan: LoadPlan, **milliseconds: int) -> list[str]:
    """Return the ids of what is run if steps take so long."""
    schedule, ids = RunSchedule(plan), []
    for planned in schedule:
        ids.append(planned.id)
        if planned.trial is None:
            times = [[1000 * milliseconds.get(planned.step.name, 0)] * 20] * 60
            measured = make_timed_result(times)
            schedule.note(make_document(planned.step.name, planned.repeat, measured, id=planned.id))
        elif planned.trial == 0:
            schedule.note(probe())
        else:
            rate = planned.step.requests_per_second or 0.0
            schedule.note(trial(planned.trial, rate, round(20 + 1.25 * max(rate - 20, 0))))
    return ids


def test_without_objectives_the_whole_plan_is_run() -> None:
    assert run(load_plan(*STEPS), low=9) == ["r1-s0-low", "r1-s1-middle", "r1-s2-high"]


def test_steps_after_a_missed_objective_are_not_run_in_any_repeat() -> None:
    found = run(load_plan(*STEPS, repeats=2, objectives=[FAST]), middle=9)
    assert found == ["r1-s0-low", "r1-s1-middle", "r2-s0-low", "r2-s1-middle"]


def capacity(*steps: dict[str, Any], stored: Sequence[dict[str, Any]] = ()) -> LoadPlan:
    objective = {"name": "fast", "responseTime": {"maxMilliseconds": 200}}
    search = {
        "capacity": {"maxTrials": 9},
        "objectives": [objective],
        "maxFailedPercent": 1,
        "workers": 2,
        "seed": 1,
        "stored": stored,
    }
    return load_plan(*steps, search=search)


def test_trials_come_after_the_steps_and_end() -> None:
    found = run(capacity(*STEPS))
    assert found[:5] == [*run(load_plan(*STEPS)), "capacity-t00", "capacity-t01"]
    # At least eight trials and two runs that confirm them.
    assert 10 <= len(found) - 4 <= 11
    assert found[-2:] == ["capacity-t10", "capacity-t11"]


def test_stored_trials_are_not_run_again() -> None:
    stored = [
        {"number": 0, "requestsPerSecond": 200.0, "excess": -1.0},
        {"number": 1, "requestsPerSecond": 40.0, "excess": -1.0},
    ]
    assert run(capacity(stored=stored))[0] == "capacity-t02"


def test_queries_are_asked_once_through_each_variant_before_its_first_step() -> None:
    wanted = {"queries": 9, "first": 10, "variants": [""], "maxBytes": 1000}
    run = Run(TIMED, EXACT, repeats=2, answers=wanted)
    run.run()
    assert run.asked == [""]
    assert run.stages[:2] == ["WaitingForWorkers", "SendingQueries"]
    assert not_none(run.document("r1-s0-timed").answers).queries == 1
    assert run.document("r2-s0-timed").answers is None
