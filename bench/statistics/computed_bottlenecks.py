"""How often bottlenecks that follow from formulae are named, and how often something else is.

The figures of a healthy server are drawn: nodes, CPUs, service time, use. Each kind lengthens the
response by a cause: queues by M/M/c and M/M/1, what waits by Little's law. Every figure has noise,
drawn anew in each of two repeats. A case counts if the mean is at least half as long again.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.harness.table import Row, at_least, at_most
from solrbench.analysis.bottleneck import find_bottleneck
from solrbench.analysis.bottleneck_evidence import BottleneckInput
from solrbench.analysis.server_metrics import RunTelemetry
from solrbench.api.v1alpha1.findings import Resource
from solrbench.contract.server_document import Spread

_SEED = 77
_NOISE = 0.04
_MIN_LONGER = 1.5
MIN_NAMED_PERCENT = 80
MAX_WRONG_PERCENT = 2

Draw = np.random.Generator


@dataclass
class Case:
    """One server and its load; times in ms, rates of one node."""

    draw: Draw
    nodes: int
    cpus: int
    cpu_time: float
    other_time: float
    used: float
    uneven: float
    """Half the sum of the squared variations of arrivals and CPU times: 1 if exponential."""
    behind_proxy: bool = False
    before: float = 0.0
    extra: float = 0.0
    figures: dict[str, float] = field(default_factory=dict)
    slow_node: float = 1.0

    @classmethod
    def drawn(cls, draw: Draw) -> "Case":
        """Return a server that keeps nothing waiting for long."""
        while True:
            time, share = float(np.exp(draw.uniform(*np.log([2, 60])))), draw.uniform(0.5, 0.9)
            nodes, cpus = int(draw.integers(1, 5)), int(draw.choice([1, 2, 4, 8]))
            used, uneven = draw.uniform(0.1, 0.6), draw.uniform(0.6, 2)
            case = cls(draw, nodes, cpus, time * share, time * (1 - share), used, uneven)
            if case.cpu_wait < 0.15 * time:
                return case

    @property
    def rate(self) -> float:
        """Requests of a node per second."""
        return self.used * self.cpus / self.cpu_time * 1000

    @property
    def waits(self) -> float:
        """The probability that a request waits for a CPU: Erlang's C."""
        load, blocked = self.used * self.cpus, 1.0
        for number in range(1, self.cpus + 1):
            blocked = load * blocked / (number + load * blocked)
        return blocked / (1 - self.used * (1 - blocked))

    @property
    def cpu_wait(self) -> float:
        """Time that a request waits for a CPU, by Allen and Cunneen's approximation for G/G/c."""
        return self.uneven * self.waits * self.cpu_time / (self.cpus * (1 - self.used))

    @property
    def handler(self) -> float:
        """Time of a request in Solr."""
        return self.cpu_time + self.other_time + self.cpu_wait + self.extra

    @property
    def response(self) -> float:
        """Time of a request as the load sees it."""
        return self.handler + self.before + 0.4

    def evidence(self, repeat: int) -> BottleneckInput:
        """Return what one repeat shows."""
        draw = self.draw
        pressure = 100 * self.used * self.waits + draw.uniform(0.2, 2)
        machine = 100 * self.used + draw.uniform(2, 10)
        known = {
            "cpu_percent": 100 * self.used,
            "cpu_some_percent": pressure,
            "machine_cpu_some_percent": pressure + draw.uniform(0, 2),
            "machine_cpu_percent": machine,
            "system_cpu_percent": machine,
            "solr_milliseconds": self.handler,
            "client_milliseconds": self.response,
            "solr_requests_per_second": self.rate * self.nodes,
            "cpu_milliseconds_per_request": self.cpu_time,
            "gc_percent": draw.uniform(0.1, 0.9),
            "gc_per_second": draw.uniform(0.3, 2),
            "heap_after_gc_max_percent": draw.uniform(20, 60),
            "threads_blocked": draw.exponential(0.03),
            "jetty_busy_max_percent": draw.uniform(3, 40),
            "io_some_percent": draw.exponential(0.5),
            "reads_per_second": draw.exponential(10),
            "throttled_percent": draw.exponential(0.3),
            "memory_full_percent": draw.exponential(0.1),
            "machine_steal_percent": draw.exponential(0.5),
        } | self.figures
        shown = {
            name: each * math.exp(_NOISE * draw.standard_normal()) for name, each in known.items()
        }
        for name in [name for name in shown if name.endswith("_percent")]:
            shown[name] = min(shown[name], 99.9)
        shown["nodes"] = float(self.nodes)
        # Requests are as long on all nodes, but for chance and a slow one.
        times = self.handler * np.exp(0.05 * draw.standard_normal(self.nodes))
        times[0] *= self.slow_node
        peers = {"request_milliseconds": _spread(times)}
        servers = RunTelemetry(shown, dict.fromkeys(shown, "solr-0"), peers)
        return BottleneckInput(repeat, servers, {}, self.behind_proxy)


def _spread(times: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Spread:
    middle = float(np.median(times))
    return Spread(
        figure="request_milliseconds",
        servers=len(times),
        total=float(times.sum()),
        median=middle,
        deviation=1.4826 * float(np.median(abs(times - middle))),
        lowest=float(times.min()),
        highest=float(times.max()),
        highest_server=f"solr-{int(times.argmax())}",
    )


def _busy(case: Case) -> None:
    case.used = case.draw.uniform(0.55, 0.97)


def _locked(case: Case) -> None:
    held = case.draw.uniform(0.3, 0.93)
    case.extra = 1000 * held**2 / (1 - held) / case.rate
    case.figures["threads_blocked"] = held**2 / (1 - held)


def _delayed(case: Case) -> None:
    case.before = case.draw.uniform(0.15, 3) * case.response


def _behind_proxy(case: Case) -> None:
    case.behind_proxy = True
    _delayed(case)


def _few_threads(case: Case) -> None:
    _delayed(case)
    case.figures["jetty_busy_max_percent"] = case.draw.uniform(92, 100)


def _reading(case: Case) -> None:
    case.extra = case.draw.uniform(0.15, 3) * case.response
    waiting = case.rate * case.extra / 1000
    case.figures["io_some_percent"] = 100 * (1 - math.exp(-waiting))
    case.figures["reads_per_second"] = max(case.rate * case.draw.uniform(1, 20), 25.0)


def _pausing(case: Case) -> None:
    share = case.draw.uniform(0.02, 0.3)
    pause = float(np.exp(case.draw.uniform(*np.log([20, 1500]))))
    case.extra = share * pause / 2 + case.handler * (1 / (1 - share) - 1)
    case.figures |= {"gc_percent": 100 * share, "gc_per_second": 1000 * share / pause}


def _throttled(case: Case) -> None:
    share = case.draw.uniform(0.05, 0.7)
    case.extra = case.handler * (1 / (1 - share) - 1)
    case.figures["throttled_percent"] = 100 * share


def _hot(case: Case) -> None:
    # Every request waits for its slowest shard.
    case.nodes = max(case.nodes, 2)
    case.slow_node = case.draw.uniform(1.2, 4)
    case.before = 0.0


def _sharing(case: Case) -> None:
    stolen = case.draw.uniform(0.05, 0.7)
    case.extra = case.cpu_time * (1 / (1 - stolen) - 1)
    case.figures["machine_steal_percent"] = 100 * stolen


def _cold(case: Case) -> None:
    # Without caches a request computes more, and more CPUs are in use.
    case.cpu_time *= case.draw.uniform(1.5, 3)
    case.used = min(case.used, 0.5)


KINDS: Mapping[str, tuple[Resource, Callable[[Case], None]]] = {
    "healthy": (Resource.NONE, lambda _: None),
    "queue for CPUs": (Resource.CPU, _busy),
    "a lock": (Resource.THREADS, _locked),
    "a delay before Solr": (Resource.NETWORK, _delayed),
    "a proxy": (Resource.PROXY, _behind_proxy),
    "Jetty's threads": (Resource.THREADS, _few_threads),
    "reads of the disk": (Resource.DISK, _reading),
    "pauses of the collector": (Resource.GARBAGE_COLLECTION, _pausing),
    "a limit of CPU": (Resource.THROTTLING, _throttled),
    "a slow node": (Resource.ONE_NODE, _hot),
    "CPUs that the host took": (Resource.MACHINE, _sharing),
    "cold caches": (Resource.NONE, _cold),
}


def computed_bottlenecks(_folder: Path, count: int) -> list[Row]:
    """Compute so many cases of each kind in which the mean is long enough."""
    return [row for name in KINDS for row in _rows(name, count)]


def _rows(name: str, count: int) -> list[Row]:
    resource, plant = KINDS[name]
    draw = np.random.default_rng([_SEED, list(KINDS).index(name)])
    named = wrong = made = 0
    others: set[Resource] = set()
    while made < count:
        case = Case.drawn(draw)
        usual = case.response
        plant(case)
        longer = case.response * case.slow_node / usual
        if resource is not Resource.NONE and longer < _MIN_LONGER:
            continue
        made += 1
        found = {find_bottleneck(case.evidence(repeat)).resource for repeat in (1, 2)}
        # Repeats that do not agree are Inconclusive.
        shown = found.pop() if len(found) == 1 else Resource.INCONCLUSIVE
        named += shown is resource
        is_wrong = shown not in {resource, Resource.NONE, Resource.INCONCLUSIVE}
        wrong += is_wrong
        others |= {shown} if is_wrong else set()
    what = f"computed, {name}"
    detail = f"of {count}; else {', '.join(sorted(others)) or 'none'}"
    title = f"{what}: something else named"
    rows = [at_most(title, 100 * wrong / count, MAX_WRONG_PERCENT, "{:.1f} %", detail)]
    if resource is not Resource.NONE:
        share = 100 * named / count
        rows.append(at_least(f"{what}: {resource}", share, MIN_NAMED_PERCENT, "{:.0f} %"))
    return rows
