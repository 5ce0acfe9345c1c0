"""Workers that do what they are ordered to, for whole runs of a plan."""

from collections.abc import Callable
from functools import partial
from typing import Any

from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.windows import CacheSample
from solrbench.load.master.caches import CacheSampler
from solrbench.load.schedule.messages import (
    Abort,
    Assignment,
    LiveTotals,
    StartMeasuring,
    StopSending,
)
from support.load.builders import plan_of, workload
from support.load.fake_locust import FakeLoad, Sent
from support.load.worker_results import part


class ObedientWorkers:
    """Workers that spawn within a second and report each second; a number of requests takes 4 s."""

    def __init__(self, load: FakeLoad) -> None:
        self.requests_per_second = 10
        self.names = ["query"]
        self.fails_from_second: int | None = None
        """From when on every request fails; None for never."""
        self._load = load
        self._parts: dict[str, Assignment] = {}
        load.runner.on_send = self._obey

    def _obey(self, sent: Sent) -> None:
        match sent.command:
            case Assignment() as part:
                self._parts[sent.worker] = part
                self._later(1, sent.worker, lambda: self._load.spawned(part.key, sent.worker))
            case StartMeasuring():
                self._measure(sent.worker)
            case StopSending():
                self._later(0.5, sent.worker, lambda: self._finish(sent.worker))
            case Abort():
                self._parts.pop(sent.worker, None)
            case _:
                pass

    def _measure(self, worker: str) -> None:
        part = self._parts[worker]
        seconds = part.ramp_seconds + (part.seconds or 4)
        for second in range(1, seconds):
            done = second * self.requests_per_second
            late = 0 if self.fails_from_second is None else max(second - self.fails_from_second, 0)
            totals = LiveTotals(1, done, late * self.requests_per_second, 1000 * done)
            self._later(second, worker, partial(self._load.progress, part.key, worker, totals))
        self._later(seconds, worker, lambda: self._finish(worker))

    def _later(self, seconds: float, worker: str, action: Callable[[], object]) -> None:
        """Do something unless the worker is lost by then, or does something else."""
        part = self._parts[worker]

        def act() -> None:
            if worker in self._load.runner.clients and self._parts.get(worker) is part:
                action()

        self._load.clock.after(seconds, act)

    def _finish(self, worker: str) -> None:
        key = self._parts.pop(worker).key
        measured = [part([1000] * self.requests_per_second, name) for name in self.names]
        self._load.result(key, worker, used=[self.requests_per_second], requests=measured)


class FakeCaches(CacheSampler):
    """Caches whose sampler only counts its readings; `meanwhile` is called in the first."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.begun = 0
        self.ended: list[float] = []
        self._meanwhile = meanwhile

    def begin(self) -> None:
        self.begun += 1
        self._meanwhile()

    def end(self, start_time: float) -> list[CacheSample]:
        self.ended.append(start_time)
        return []


def load_plan(*steps: dict[str, Any], repeats: int = 1, **fields: Any) -> LoadPlan:
    """Return a plan of a ladder for two workers, with a list in sequence."""
    step_runs = [
        {
            "id": f"r{repeat}-s{index}-{step['name']}",
            "repeat": repeat,
            "step": step,
            "stepIndex": index,
        }
        for repeat in range(1, repeats + 1)
        for index, step in enumerate(steps)
    ]
    small = {"benchmark": "tests/small", "attempt": 2, "workers": 2, "stepRuns": step_runs}
    return plan_of(**{"workload": workload(timeout_seconds=2)} | small | fields)
