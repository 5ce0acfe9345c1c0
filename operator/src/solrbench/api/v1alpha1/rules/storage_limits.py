"""How many results a benchmark may have, so that its status and its report always can be stored.

A status is one object of the API server, of which etcd takes 1.5 MiB; what is beyond half of that
is left to the report (`solrbench.decide.status.size`). A report is as many ConfigMaps as it needs,
and etcd holds 2 GiB for the whole cluster unless set otherwise.
"""

from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.load.repeats import MOST_REPEATS
from solrbench.api.v1alpha1.workload.mix import count_names
from solrbench.api.v1alpha1.workload.workload import MOST_NAMES

MAX_RESULTS = 256
"""Steps times variants times request names: entries of `status.results`."""

MAX_RECORDS = 8000
"""The same times repeats: what the report has a histogram and windows for."""

MAX_REPORT_BYTES = 256 << 20
"""What the ConfigMaps of a report may hold."""

_NAMES = (
    "(has(self.workload.mix) ? self.workload.mix.map(e, has(e.transaction)"
    " ? e.transaction.requests.size() + 1 : 1).sum() : 1)"
)
LADDER = (
    "self.load.steps.size() * (self.target.variants.size() == 0 ? 1 : self.target.variants.size())"
)


_TRIALS = (
    "(has(self.load.capacity) ? (self.load.capacity.maxTrials + 1)"
    " * (self.target.variants.size() == 0 ? 1 : self.target.variants.size()) : 0)"
)


def ladder_length(spec: Any) -> int:
    """Return the steps of one repeat, through all variants."""
    return len(spec.load.steps) * max(len(spec.target.variants), 1)


def most_step_runs(spec: Any) -> int:
    """Return the steps of all repeats, and the trials that a search may have."""
    capacity = spec.load.capacity
    trials = 0 if capacity is None else capacity.max_trials + 1
    steps: int = ladder_length(spec) * spec.load.repeats.most
    return steps + trials * max(len(spec.target.variants), 1)


def declared_names(spec: Any) -> int:
    """Return how many request names the mix has; query files and locustfiles may have more."""
    return sum(map(count_names, spec.workload.mix)) if spec.workload.mix else 1


def max_request_names(spec: Any) -> int:
    """Return how many request names fit into the status and the report."""
    ladder = max(ladder_length(spec), 1)
    return min(MOST_NAMES, MAX_RESULTS // ladder, MAX_RECORDS // most_step_runs(spec))


def max_result_bytes(spec: Any) -> int:
    """Return what one step run may take of the report."""
    return MAX_REPORT_BYTES // most_step_runs(spec)


SIZE_RULES = (
    Rule(
        cel=f"{LADDER} * {_NAMES} <= {MAX_RESULTS}",
        message=(
            "load.steps times target.variants times the names of workload.mix must be at most"
            f" {MAX_RESULTS}, more results do not fit into the status"
        ),
        is_satisfied=lambda spec: ladder_length(spec) * declared_names(spec) <= MAX_RESULTS,
    ),
    Rule(
        cel=f"({LADDER} * {MOST_REPEATS} + {_TRIALS}) * {_NAMES} <= {MAX_RECORDS}",
        message=(
            "load.repeats times load.steps times target.variants times the names of"
            f" workload.mix must be at most {MAX_RECORDS}, more do not fit into the report of"
            f" {MAX_REPORT_BYTES >> 20} MiB; the trials of load.capacity count as steps"
        ),
        is_satisfied=lambda spec: most_step_runs(spec) * declared_names(spec) <= MAX_RECORDS,
    ),
)
