"""Faults that a load generator, its statistics or its verdict could have, as changes of a line."""

from typing import NamedTuple

_RECORDING = "load/recording"
_STATS = "stats"


class Fault(NamedTuple):
    """One fault.

    Attributes:
        name: what is wrong
        file: of `solrbench`
        right: what the file says once, and only once
        wrong: what it says with the fault
        part: of `quick_parts`, which must notice it
    """

    name: str
    file: str
    right: str
    wrong: str
    part: str


FAULTS = (
    Fault(
        "the clock of an open loop starts with the sending (coordinated omission)",
        f"{_RECORDING}/open_loop.py",
        "planned.responses.record((ended_ns - intended_ns) // 1000)",
        "planned.responses.record((ended_ns - started_ns) // 1000)",
        "stalls",
    ),
    Fault(
        "microseconds of 1,024 ns",
        f"{_RECORDING}/recorder.py",
        "microseconds = (ended_ns - started_ns) // 1000",
        "microseconds = (ended_ns - started_ns) >> 10",
        "accuracy",
    ),
    Fault(
        "requests of more than 0.5 s are not counted",
        f"{_RECORDING}/recorder.py",
        "        times.append(microseconds)\n",
        "        if microseconds < 500_000:\n            times.append(microseconds)\n",
        "accuracy",
    ),
    Fault(
        "the first 50 ms of a step are not measured",
        f"{_RECORDING}/recorder.py",
        "self.origin_ns = now_ns\n        self._boundary_ns = now_ns + SECOND_NS",
        "self.origin_ns = now_ns + 50_000_000\n        self._boundary_ns = now_ns + SECOND_NS",
        "accuracy",
    ),
    Fault(
        "rates are divided by the time until the last response",
        "contract/step_document.py",
        "return self.seconds if self.duration_seconds is None else self.duration_seconds",
        "return self.seconds",
        "accuracy",
    ),
    Fault(
        "percentiles are read at 99.9 % of their rank",
        f"{_STATS}/histograms.py",
        "rank = math.ceil(Fraction(str(percent)) * self.count / 100)",
        "rank = math.ceil(Fraction(str(percent * 0.999)) * self.count / 100)",
        "accuracy",
    ),
    Fault(
        "the last stored histogram is not merged",
        f"{_STATS}/histograms.py",
        "    for each in encoded:\n        merged.add(decode(each))",
        "    for each in list(encoded)[:-1] or encoded:\n        merged.add(decode(each))",
        "merged",
    ),
    Fault(
        "every second arrival is left out",
        "load/schedule/arrivals.py",
        "yield from block[self._owners(begin, len(block)) == self.worker].tolist()",
        "yield from block[self._owners(begin, len(block)) == self.worker][::2].tolist()",
        "arrivals",
    ),
    Fault(
        "gaps of Poisson arrivals are spread evenly",
        "load/schedule/arrivals.py",
        "rng.standard_exponential(_BLOCK)",
        "rng.uniform(0, 2, _BLOCK)",
        "gaps",
    ),
    Fault(
        "workers take Poisson arrivals in turn",
        "load/schedule/arrivals.py",
        "if self.rate.distribution is ArrivalDistribution.UNIFORM:\n            return turns",
        "if self.rate.distribution:\n            return turns",
        "gaps",
    ),
    Fault(
        "no worker is ever saturated",
        "analysis/load_checks.py",
        "limit = load.validity.max_worker_cpu_percent",
        "limit = 1000.0",
        "saturation",
    ),
    Fault(
        "intervals take neighbouring blocks for independent",
        f"{_STATS}/intervals.py",
        "/ whole**2 * (1 + lag) / (1 - lag)",
        "/ whole**2",
        "intervals",
    ),
    Fault(
        "intervals are a third narrower",
        f"{_STATS}/intervals.py",
        "    margin = t * math.sqrt(",
        "    t *= 2 / 3\n    margin = t * math.sqrt(",
        "intervals",
    ),
    Fault(
        "every look at adaptive repeats has the whole level",
        "stats/tests.py",
        "return max(closed, self._spent(look) - self._spent(before))",
        "return 1.0",
        "words",
    ),
    Fault(
        "Better and Worse are tested at 10 %",
        "analysis/difference_tests.py",
        "DIFFERENCE_LEVEL = 0.01",
        "DIFFERENCE_LEVEL = 0.10",
        "words",
    ),
    Fault(
        "capacity is read 4 % beside the crossing",
        "stats/regression.py",
        "at=mean_x - mean_y / slope,",
        "at=mean_x - mean_y / slope + 0.04,",
        "capacity",
    ),
    Fault(
        "the CPU is blamed before memory",
        "analysis/bottleneck.py",
        "    (Resource.MEMORY, find_memory),\n",
        "    (Resource.CPU, find_cpu),\n    (Resource.MEMORY, find_memory),\n",
        "computed",
    ),
    Fault(
        "what fills a cache counts as growth",
        "analysis/trends.py",
        "    return [each for each in fits if each is not None]",
        "    return [each for each in fits[:1] if each is not None]",
        "trends",
    ),
)
