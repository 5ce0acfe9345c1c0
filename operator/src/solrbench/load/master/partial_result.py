"""What the master knows of a step run besides the results of its workers, also if it broke off."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.api.v1alpha1.load import mean_rate
from solrbench.contract.answers import StoredAnswers
from solrbench.contract.load_plan import PlannedStepRun
from solrbench.contract.names import LOAD_MASTER
from solrbench.contract.server_document import DiagnosticFile, ServerFigures, Telemetry
from solrbench.contract.step_document import (
    AddedDocuments,
    RequestResult,
    StepRunResult,
    VisibilityResult,
)
from solrbench.contract.windows import CacheSample, EmptiedCaches, EndedEarly, RequestWindow
from solrbench.load.master.distributed_step_run import RunningTotals
from solrbench.stats.histograms import Histogram
from solrbench.telemetry.summary import spreads_of, worst_servers


@dataclass(frozen=True)
class WarmUpResult:
    """A warm-up as it is kept, named as in the document of the step run."""

    warm_up_requests: int = 0
    warm_up_steady: bool | None = None
    """None unless it was to go on until it is steady."""
    warm_up_thousands: list[RequestWindow] = field(default_factory=list)
    warm_up_caches: list[CacheSample] = field(default_factory=list)
    answers: StoredAnswers | None = None
    """What the target answered before it; None if that was not asked for."""
    emptied_caches: EmptiedCaches | None = None
    """Solr's caches as they were emptied before it; None if they were kept."""


@dataclass(frozen=True)
class StepRunMetadata:
    """What the master knows of a step run besides the results, named as in its document."""

    attempt: int
    start_time: datetime
    """When measuring began; aware."""
    warm_up: WarmUpResult = field(default_factory=WarmUpResult)
    """The warm-up right before."""
    caches: list[CacheSample] = field(default_factory=list)
    lost_workers: tuple[str, ...] = ()
    list_offsets: tuple[int, ...] = ()
    queries_may_repeat: bool = False
    telemetry: Telemetry | None = None
    visibility: list[VisibilityResult] = field(default_factory=list)
    added: AddedDocuments | None = None
    diagnostics: list[DiagnosticFile] = field(default_factory=list)
    ended_early: EndedEarly | None = None

    def fields(self, planned: PlannedStepRun) -> dict[str, Any]:
        """Return them, and what was planned, as fields of the document of the step run."""
        own = vars(self) | vars(self.warm_up)
        del own["warm_up"]
        return own | {
            "id": planned.id,
            "repeat": planned.repeat,
            "variant": planned.variant,
            "step": planned.step.name,
            "trial": planned.trial,
            "users": planned.step.users,
            "batch_size": planned.batch_size,
        }


_DIGITS = 1


def partial_result(
    planned: PlannedStepRun, so_far: RunningTotals, seconds: float, metadata: StepRunMetadata
) -> StepRunResult:
    """Return the document of a step run of which so many `seconds` were measured."""
    seconds = round(seconds, _DIGITS)
    ended = EndedEarly(
        second=seconds, last_good_second=so_far.last_good_second, failures=so_far.failures_since
    )
    is_open_loop, windows = planned.step.users is None, so_far.windows
    times, rate = so_far.histogram.encode(), mean_rate(planned.step)
    if planned.step.replay is not None:
        rate = so_far.requests / seconds if seconds else 0.0
    request = RequestResult(
        request=ALL_REQUESTS,  # reports of a step run under way have no names
        requests=so_far.requests,
        failures=so_far.failures,
        sum_microseconds=so_far.sum_microseconds,
        # The reports of an open loop have response times, and of service times only the sum.
        service_time_histogram=Histogram().encode() if is_open_loop else times,
        response_time_histogram=times if is_open_loop else None,
        windows=windows.rolled_up(windows.width),
    )
    return StepRunResult(
        requests_per_second=rate,
        end_time=metadata.start_time + timedelta(seconds=seconds),
        seconds=seconds,
        requests=[request],
        workers=[],
        window_seconds=windows.width,
        **replace(metadata, ended_early=ended).fields(planned),
    )


SPREAD = "load-pods"


def add_load_pods(
    telemetry: Telemetry | None, workers: Sequence[ServerFigures | None]
) -> Telemetry | None:
    """Return what the master read, its own pod included, with the pods of `workers`.

    These read themselves; where one could not, it is None.
    """
    pods = [server for server in workers if server is not None]
    if telemetry is None or not pods:
        return telemetry
    masters = [server for server in telemetry.pods if server.component == LOAD_MASTER]
    spreads = {SPREAD: spreads_of(SPREAD, [*masters, *pods])}
    return telemetry.model_copy(
        update={
            "pods": [*telemetry.pods, *worst_servers(pods)],
            "spreads": telemetry.spreads | spreads,
        }
    )
