"""Rules on results: objectives, the search for the capacity, repeats, and how much can be stored.

A status is one object of the API server, of which etcd takes 1.5 MiB; what is beyond half of that
is left to the report (`solrbench.decide.status_size`). A report is as many ConfigMaps as it needs,
and etcd holds 2 GiB for the whole cluster unless set otherwise.
"""

from typing import Any

from solrbench.api.rules import Rule, not_with
from solrbench.api.v1alpha1.objectives import MAX_CONFIRMATIONS, MAX_OBJECTIVE_RESULTS
from solrbench.api.v1alpha1.repeats import MAX_REPEATS
from solrbench.api.v1alpha1.request_mix import UPDATE
from solrbench.api.v1alpha1.target import VARIANT_COUNT
from solrbench.api.v1alpha1.workload import MAX_REQUEST_NAMES, count_request_names

REPEAT_RULES = (
    Rule(
        cel=f"!has(self.diagnostics) || self.diagnostics.repeat <= {MAX_REPEATS}",
        message="diagnostics.repeat must not be greater than the number of load.repeats",
    ),
    Rule(
        cel=(
            "!has(self.diagnostics)"
            " || !self.diagnostics.gcLog && !has(self.diagnostics.flightRecording)"
            " || has(self.target.solrCloud) && self.load.telemetry.collect == 'ServersAndPods'"
        ),
        message=(
            "diagnostics.gcLog and diagnostics.flightRecording are taken in Solr's pods: they must"
            " go with target.solrCloud and load.telemetry.collect: ServersAndPods"
        ),
    ),
    Rule(
        cel=(
            "!has(self.load.repeats.until) || self.target.variants.size() >= 2"
            " || has(self.comparison.baseline)"
        ),
        message=(
            "load.repeats.until must go with two target.variants or comparison.baseline, otherwise"
            " there is nothing to decide; set count"
        ),
    ),
    Rule(
        cel="self.load.repeats.startOn != 'FreshTarget' || has(self.target.solrCloud)",
        message=(
            "load.repeats.startOn FreshTarget must go with target.solrCloud, an existing target"
            " cannot be provisioned again; FreshData indexes again"
        ),
    ),
    Rule(
        cel="self.load.repeats.startOn != 'FreshData' || has(self.dataset)",
        message=(
            "load.repeats.startOn FreshData must go with a dataset, a collection of yours is never"
            " deleted"
        ),
    ),
    Rule(
        cel=("!has(self.load.between) || self.load.between.caches != 'Empty' || has(self.dataset)"),
        message=(
            "load.between.caches Empty must go with a dataset, a collection of yours is never"
            " reloaded"
        ),
    ),
)


MAX_RESULTS = 256
"""Steps times variants times request names: entries of `status.results`."""

MAX_RECORDS = 8000
"""The same times repeats: what the report has a histogram and windows for."""

MAX_REPORT_BYTES = 256 << 20
"""What the ConfigMaps of a report may hold."""

_NAMES = f"(has(self.workload.mix) ? {count_request_names('self.workload.mix')} : 1)"
LOAD_STEPS = f"self.load.steps.size() * {VARIANT_COUNT}"

# With the probe and the confirming runs.
_TRIALS = (
    f"(has(self.load.capacity) ? (self.load.capacity.maxTrials + {1 + MAX_CONFIRMATIONS})"
    f" * {VARIANT_COUNT} : 0)"
)


def count_load_steps(spec: Any) -> int:
    """Return the steps of one repeat, through all variants."""
    return len(spec.load.steps) * max(len(spec.target.variants), 1)


def max_step_runs(spec: Any) -> int:
    """Return the steps of all repeats, and the trials that a search may have."""
    capacity = spec.load.capacity
    trials = 0 if capacity is None else capacity.max_trials + 1 + MAX_CONFIRMATIONS
    steps: int = count_load_steps(spec) * spec.load.repeats.most
    return steps + trials * max(len(spec.target.variants), 1)


def max_request_names(spec: Any) -> int:
    """Return how many request names fit into the status and the report."""
    # With a search alone there are no steps.
    ladder = max(count_load_steps(spec), 1)
    return min(MAX_REQUEST_NAMES, MAX_RESULTS // ladder, MAX_RECORDS // max_step_runs(spec))


def max_result_bytes(spec: Any) -> int:
    """Return what one step run may take of the report."""
    return MAX_REPORT_BYTES // max_step_runs(spec)


SIZE_RULES = (
    Rule(
        cel=f"{LOAD_STEPS} * {_NAMES} <= {MAX_RESULTS}",
        message=(
            "load.steps times target.variants times the names of workload.mix must be at most"
            f" {MAX_RESULTS}, more results do not fit into the status"
        ),
    ),
    Rule(
        cel=f"({LOAD_STEPS} * {MAX_REPEATS} + {_TRIALS}) * {_NAMES} <= {MAX_RECORDS}",
        message=(
            "load.repeats times load.steps times target.variants times the names of"
            f" workload.mix must be at most {MAX_RECORDS}, more do not fit into the report of"
            f" {MAX_REPORT_BYTES >> 20} MiB; the trials of load.capacity count as steps"
        ),
    ),
)


_ONCE = "(has({0}.order) && {0}.order == 'Once')"


# Of a step without a name. A rule that compares computed names would cost more than the API
# server allows, so the operator looks whether there is such a step (ADR 8).
_DEFAULT_NAME = "(users-[0-9]+|rate-[0-9]+(-[0-9]+)?|replay)"


OBJECTIVE_RULES = (
    Rule(
        cel=(
            f"self.objectives.all(o, o.steps.all(s, s.matches('^{_DEFAULT_NAME}$')"
            " || self.load.steps.exists(t, has(t.name) && t.name == s)))"
        ),
        message="objectives.steps must be names of load.steps",
    ),
    Rule(
        cel=f"self.objectives.size() * {LOAD_STEPS} <= {MAX_OBJECTIVE_RESULTS}",
        message=(
            "objectives times load.steps times target.variants must be at most"
            f" {MAX_OBJECTIVE_RESULTS}, more results do not fit into the status"
        ),
    ),
    Rule(
        cel=(
            "!has(self.load.capacity) || self.objectives.exists(o,"
            " (has(o.responseTime) || has(o.meanResponseTime)) && o.steps.size() == 0 &&"
            f" (!has(self.load.capacity.indexing) || !has(o.request) || o.request == '{UPDATE}'))"
        ),
        message=(
            "objectives must have one with responseTime or meanResponseTime, and without steps, for"
            " load.capacity: the highest rate is the one that just meets it; with"
            f" load.capacity.indexing, its request must be {UPDATE} or omitted"
        ),
    ),
    Rule(
        cel=(
            "!self.objectives.exists(o, has(o.timeUntilFound) && (!has(self.load.visibility)"
            " || o.timeUntilFound.maxMilliseconds > 1000 * self.load.visibility.timeoutSeconds))"
        ),
        message=(
            "objectives.timeUntilFound must go with load.visibility, which measures it up to"
            " timeoutSeconds"
        ),
    ),
    not_with(
        "load.capacity",
        "load.repeats.until",
        "a search comes after a known number of repeats; set load.repeats.count",
    ),
    not_with(
        "comparison.answers",
        "workload.locustfile",
        "only its code knows what it sends; use workload.queries or workload.mix, or leave"
        " comparison.answers out",
    ),
    not_with(
        "load.capacity",
        "workload.locustfile",
        "a locustfile runs a closed loop and cannot hold an arrival rate; use workload.queries or"
        " workload.mix",
    ),
    Rule(
        cel=(
            "!has(self.load.capacity) || (!(has(self.workload.queries)"
            f" && {_ONCE.format('self.workload.queries')})"
            " && (!has(self.workload.mix) || !self.workload.mix.exists(e,"
            f" (has(e.queries) && {_ONCE.format('e.queries')})"
            " || (has(e.transaction) && has(e.transaction.inputs)"
            f" && {_ONCE.format('e.transaction.inputs')}))))"
        ),
        message=(
            "load.capacity must not go with the order Once, a search sends as many requests as it"
            " needs; set the order Sequential or Random"
        ),
    ),
)
