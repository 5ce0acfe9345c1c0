"""Step runs of three workers, `a`, `b` and `c`."""

from functools import partial

from solrbench.api.v1alpha1.arrivals import ArrivalDistribution
from solrbench.load.master.distributed_step_run import DistributedStepRun
from solrbench.load.schedule.arrivals import ArrivalRate
from solrbench.load.schedule.messages import Assignment, StartMeasuring
from support.load.builders import assignment
from support.load.fake_locust import FakeLoad

TIMED = assignment(users=6, seconds=60)
EXACT = assignment(users=6, requests=100)
PLANNED = TIMED.model_copy(
    update={
        "open_loop": ArrivalRate(
            requests_per_second=5, distribution=ArrivalDistribution.UNIFORM, max_in_flight=9
        )
    }
)
KEY = TIMED.key


def started(
    work: Assignment = TIMED, *, redistribute: bool = False, measuring: bool = True
) -> tuple[FakeLoad, DistributedStepRun]:
    load = FakeLoad.ready("abc", redistribute=redistribute)
    step_run = load.pool.assign(work)
    if measuring:
        load.spawned(KEY, "a", "b", "c")
        load.pool.wait_spawned(step_run, 30)
        step_run.command(StartMeasuring)
    return load, step_run


def keep_reporting(load: FakeLoad, *workers: str, seconds: int = 60) -> None:
    """Let engines report once a second, and end the step run at its end."""
    for second in range(seconds):
        for worker in workers:
            load.clock.after(second, partial(load.progress, KEY, worker))
    load.clock.after(seconds, lambda: load.result(KEY, *workers))


def wait_results(load: FakeLoad, step_run: DistributedStepRun) -> list[str]:
    return [name for name, _ in load.pool.wait_results(step_run, 94)]
