"""What the master knows of a step run besides the results of the workers."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from solrbench.results.model.diagnostics import DiagnosticFile
from solrbench.results.model.telemetry import Telemetry
from solrbench.results.model.windows import CacheSample, EmptiedCaches, EndedEarly, RequestWindow


@dataclass(frozen=True)
class WarmUpResult:
    """A warm-up as it is kept.

    Attributes:
        requests: requests of it; 0 without a warm-up
        steady: whether it became steady; None unless it was to go on until then
        request_windows: its windows
        caches: Solr's caches during that time
        emptied: Solr's caches as they were emptied before it; None if they were kept

    """

    requests: int = 0
    steady: bool | None = None
    request_windows: list[RequestWindow] = field(default_factory=list)
    caches: list[CacheSample] = field(default_factory=list)
    emptied: EmptiedCaches | None = None


@dataclass(frozen=True)
class StepRunMetadata:
    """What the master knows of a step run besides the results.

    Attributes:
        attempt: attempt of the load
        start_time: when measuring began; aware
        warm_up: the warm-up right before
        caches: Solr's caches during that time
        lost_workers: names of workers whose measurements are missing
        list_offsets: where the lists of the workload go on
        queries_may_repeat: whether queries that are to be sent once may have been sent before
        telemetry: what servers did during that time; None if it is turned off
        diagnostics: what was taken from Solr's JVMs
        ended_early: why it was ended before its time; None if it was not

    """

    attempt: int
    start_time: datetime
    warm_up: WarmUpResult = field(default_factory=WarmUpResult)
    caches: list[CacheSample] = field(default_factory=list)
    lost_workers: tuple[str, ...] = ()
    list_offsets: tuple[int, ...] = ()
    queries_may_repeat: bool = False
    telemetry: Telemetry | None = None
    diagnostics: list[DiagnosticFile] = field(default_factory=list)
    ended_early: EndedEarly | None = None

    def fields(self) -> dict[str, Any]:
        """Return them as fields of the document of the step run."""
        return {
            "attempt": self.attempt,
            "warm_up_requests": self.warm_up.requests,
            "warm_up_steady": self.warm_up.steady,
            "warm_up_thousands": self.warm_up.request_windows,
            "warm_up_caches": self.warm_up.caches,
            "emptied_caches": self.warm_up.emptied,
            "caches": self.caches,
            "lost_workers": list(self.lost_workers),
            "list_offsets": list(self.list_offsets),
            "queries_may_repeat": self.queries_may_repeat,
            "diagnostics": self.diagnostics,
            "ended_early": self.ended_early,
        }
