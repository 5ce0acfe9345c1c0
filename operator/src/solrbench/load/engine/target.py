"""What a step run sends and accepts: target, requests that are left, checks of responses."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from solrbench.api.v1alpha1.request_mix import (
    UPDATE,
    GeneratedUpdates,
    MixEntry,
    StepIndexing,
    UpdateIdPolicy,
    Updates,
)
from solrbench.api.v1alpha1.workload import MAX_REQUEST_NAMES, Workload
from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.workload_files import WARM_UP_FOLDER
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.request_stats import NEVER_NS
from solrbench.load.schedule.messages import Assignment
from solrbench.load.settings import load_auth
from solrbench.load.workload.loader import load_workload
from solrbench.load.workload.request_mix import PreparedWorkload
from solrbench.load.workload.requests import Node, PreparedRequest, prepare_node
from solrbench.load.workload.response_checks import (
    EMPTY_RESULT,
    EMPTY_WITHOUT_HEADER,
    NO_HEADER,
    RESULTS,
    RequestFailure,
    check_expectation,
    check_response,
    num_found,
)


@dataclass(frozen=True)
class LoadTarget:
    """What is sent, and where to."""

    requests: PreparedWorkload
    seed: int
    nodes: Sequence[Node]
    """Users are spread over them evenly."""
    timeout_seconds: float
    """A response that takes longer is a failure."""
    variants: Mapping[str, Sequence[Node]] = field(default_factory=dict)
    """Nodes of the variants by name; step runs with a variant go there instead."""
    warm_up: "LoadTarget | None" = None
    """The same for warm-ups, if they have queries of their own."""
    updates: Mapping[StepIndexing, "LoadTarget"] = field(default_factory=dict)
    """The same for steps that index, and their warm-ups."""

    def of(self, assignment: Assignment) -> "LoadTarget":
        """Return what is sent in a step run or warm-up."""
        if assignment.indexing is not None:
            return self.updates[assignment.indexing]
        return self.warm_up if assignment.is_warm_up and self.warm_up is not None else self

    def nodes_of(self, variant: str) -> Sequence[Node]:
        """Return where the users of a step run go; `variant` is empty without variants."""
        return self.variants[variant] if variant else self.nodes


def load_target(plan: LoadPlan, queries_folder: Path) -> LoadTarget:
    """Return requests and nodes of a plan.

    It raises `LoadError` as `load_workload`, or with `CertificateNotTrusted`.
    """
    own = plan.workload.of_warm_up
    indexing = {each.step.indexing for each in plan.step_runs}
    indexing |= {plan.search.capacity.indexing} if plan.search else set()
    updates = {each: _load(_updates_plan(plan, each), queries_folder) for each in indexing if each}
    target = replace(_load(plan, queries_folder), updates=updates)
    if own is None:
        return target
    # The names of a warm-up are in no result, and it replays no log.
    changes = {"workload": own, "max_request_names": MAX_REQUEST_NAMES, "step_runs": []}
    warm_up = plan.model_copy(update=changes)
    folder = queries_folder.with_name(f"{queries_folder.name}-{WARM_UP_FOLDER}")
    return replace(target, warm_up=_load(warm_up, folder))


def _updates_plan(plan: LoadPlan, indexing: StepIndexing) -> LoadPlan:
    """Return a plan whose workload is nothing but the updates of a step."""
    seed = plan.generator.seed if plan.generator else plan.workload.draw_seed
    documents = GeneratedUpdates(ids=UpdateIdPolicy.NEW, seed=seed)
    updates = Updates(
        generated=documents,
        documents_per_request=indexing.batch_size,
        commit_within_milliseconds=indexing.commit_within_milliseconds,
    )
    workload = Workload(
        mix=[MixEntry(name=UPDATE, updates=updates)],
        seed=plan.workload.draw_seed,
        timeout_seconds=plan.workload.timeout_seconds,
    )
    return plan.model_copy(update={"workload": workload})


def _load(plan: LoadPlan, queries_folder: Path) -> LoadTarget:
    workload, access = plan.workload, load_auth(plan)

    def nodes(urls: Iterable[str]) -> list[Node]:
        return [prepare_node(workload, plan.collection, url, access) for url in urls]

    return LoadTarget(
        requests=load_workload(plan, queries_folder),
        seed=workload.draw_seed,
        nodes=nodes(plan.solr_urls),
        timeout_seconds=workload.timeout_seconds,
        variants={variant.variant: nodes(variant.urls) for variant in plan.variants},
    )


class RequestSupply:
    """Hands out requests until their number is reached, time is up, or the queries end.

    Times are of `time.perf_counter_ns`.
    """

    __slots__ = ("_remaining", "_requests", "ended_ns", "queries_exhausted", "stops_ns")

    def __init__(self, requests: Iterator[PreparedRequest], limit: int | None = None) -> None:
        self._requests = requests
        self._remaining = sys.maxsize if limit is None else limit
        self.stops_ns = NEVER_NS
        """No request starts from then on."""
        self.queries_exhausted = False
        """The queries ended before anything else did."""
        self.ended_ns = 0
        """When a request was refused for the first time, 0 if none was."""

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request, None if there is no more to do; the hot path."""
        if self._remaining <= 0 or now_ns >= self.stops_ns:
            self.ended_ns = self.ended_ns or now_ns
            return None
        request = next(self._requests, None)
        if request is None:
            self._remaining, self.queries_exhausted, self.ended_ns = 0, True, now_ns
            return None
        self._remaining -= 1
        return request

    def is_exhausted(self, now_ns: int) -> bool:
        """Say whether there is no more to do."""
        return self._remaining <= 0 or now_ns >= self.stops_ns

    def is_closed(self, now_ns: int) -> bool:
        """Say whether the time to start requests is over, whatever else is left to do."""
        return now_ns >= self.stops_ns


@dataclass(frozen=True, slots=True)
class UserContext:
    """Where users take requests from, and what they report to."""

    supply: RequestSupply
    recorder: StepRunRecorder
    timeout_seconds: float
    loop: asyncio.AbstractEventLoop
    on_user_finished: Callable[[], None]
    """Called by a user when it has nothing left to do."""
    silent_nodes: set[str] = field(default_factory=set)
    """Nodes, by host and port, to which a user could not connect ahead in time; the others do not
    wait for them before the step: their first request tries again."""


_RESULTS_BYTES = len(RESULTS)
_NO_ZERO = frozenset(b"123456789")


def validate_response(request: PreparedRequest, status: int, body: bytes) -> RequestFailure | None:
    """Return what is wrong with a response, None if nothing is.

    Of a good response that is empty, or has no header, it returns a remark that says so
    (`EMPTY_RESULT`, `NO_HEADER`, `EMPTY_WITHOUT_HEADER`).
    """
    failed = check_response(status, body, request.is_readable)
    if failed is not None and failed is not NO_HEADER:
        return failed
    extra = request.extra
    if extra is not None:
        wrong = None
        if extra.expectation is not None:
            wrong = check_expectation(extra.expectation, body)
        if wrong is None and extra.transaction is not None:
            wrong = extra.transaction.extract(body)
        if wrong is not None:
            return wrong
    if not request.is_readable:
        return None
    # Nearly all responses begin with their number of documents: one look at its first digit.
    at = body.find(RESULTS)
    if at > 0 and body[at + _RESULTS_BYTES] in _NO_ZERO:
        return failed
    if num_found(body) != 0:
        return failed
    return EMPTY_RESULT if failed is None else EMPTY_WITHOUT_HEADER
