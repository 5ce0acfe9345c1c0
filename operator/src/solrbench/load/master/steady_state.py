"""When a warm-up is steady, when a target is gone, and whether it responds at the start."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle

import httpx2 as httpx

from solrbench.api.v1alpha1.arrivals import UntilSteady
from solrbench.contract.windows import EndedEarly
from solrbench.load.errors import LoadError
from solrbench.load.master.distributed_step_run import DistributedStepRun
from solrbench.load.schedule.messages import StopSending
from solrbench.net.http import NO_AUTH, HttpAuth, certificate_problem
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason
from solrbench.stats.series import Steadiness

_DIGITS = 1


@dataclass(eq=False, repr=False)
class SteadyStateDetector:
    """Looks at the figures of a warm-up, which has to begin now."""

    until: UntilSteady
    load: DistributedStepRun
    clock: Callable[[], float]
    is_steady: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()
        self._steadiness = Steadiness(
            windows=self.until.windows,
            deviation_percent=self.until.deviation_percent,
            window_seconds=self.until.window_seconds,
            window_requests=self.until.window_requests,
        )

    def update(self) -> None:
        """Take note of the figures; close the warm-up when it has become steady."""
        if self.is_steady:
            return
        figures = self.load.reports.live_totals
        passed = self.clock() - self._began
        self._steadiness.add(passed, figures.requests, figures.sum_microseconds)
        if self._steadiness.is_steady:
            self.is_steady = True
            self.load.command(StopSending)


@dataclass(eq=False, repr=False)
class CollapseDetector:
    """Looks at the totals of a step run, whose measurement has begun.

    A step run has collapsed when there was no good response for `seconds`, while requests failed.
    """

    seconds: float
    load: DistributedStepRun
    clock: Callable[[], float]
    ended: EndedEarly | None = field(default=None, init=False)
    """What was seen when the step run was ended; None while it goes on."""

    def update(self) -> None:
        """Take note of the totals; begin no more requests once the step run has collapsed."""
        so_far, now = self.load.reports.so_far, self.clock()
        if self.ended is not None or so_far.began is None:
            return
        # Without failures it may be a slow step: of responses that take long, none is bad.
        if so_far.failures_since and now - so_far.last_good >= self.seconds:
            self.ended = EndedEarly(
                second=round(now - so_far.began, _DIGITS),
                last_good_second=round(so_far.last_good - so_far.began, _DIGITS),
                failures=so_far.failures_since,
            )
            self.load.command(StopSending)


WINDOW_SECONDS = 5.0


class ThroughputMeter:
    """Remembers totals of the last seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def reset(self) -> None:
        """Forget everything: another step run begins."""
        self._seen.clear()

    def add(self, now: float, requests: int) -> None:
        """Note the total at a time in seconds."""
        if self._seen and requests < self._seen[-1][1]:
            self._seen.clear()
        if not self._seen or requests != self._seen[-1][1]:
            self._seen.append((now, requests))
        while len(self._seen) > 1 and self._seen[1][0] <= now - WINDOW_SECONDS:
            self._seen.popleft()

    def rate(self, now: float) -> float:
        """Return requests per second as of `now`; 0 when there are too few samples."""
        if len(self._seen) < 2 or self._seen[-1][0] < now - WINDOW_SECONDS:
            return 0.0
        (begin, before), (end, after) = self._seen[0], self._seen[-1]
        return (after - before) / (end - begin) if end > begin else 0.0


_ATTEMPT_SECONDS = 5.0
_PAUSE_SECONDS = 0.5


def wait_for_target(  # noqa: PLR0913 - what to probe, for how long, and the means
    urls: Sequence[str],
    seconds: float,
    pause: Callable[[float], None],
    clock: Callable[[], float] = time.monotonic,
    *,
    access: HttpAuth = NO_AUTH,
    endpoint: str = "",
) -> None:
    """Return as soon as one node sends any HTTP response; `endpoint` names them in the error.

    It raises `LoadError` with `TargetUnreachable` if none does within `seconds`, and at
    once with `CertificateNotTrusted` or `AuthenticationFailed`.
    """
    deadline = clock() + seconds
    with access.open_client(min(_ATTEMPT_SECONDS, seconds)) as http:
        for tried, url in enumerate(cycle(urls), 1):
            try:
                status = http.get(url).status_code
            except httpx.HTTPError as error:
                if problem := certificate_problem(error):
                    text = f"{url}: {problem}; check target.existing.tls.caSecret"
                    raise LoadError(LifecycleReason.CERTIFICATE_NOT_TRUSTED, text) from error
                last = f"{url}: {error}"
            else:
                # Any other status is a response: a node that starts says 404 or 503.
                if status == httpx.codes.UNAUTHORIZED:
                    text = f"{url}: HTTP {status}; check target.existing.basicAuth.secret.name"
                    raise LoadError(LifecycleReason.AUTHENTICATION_FAILED, text)
                return
            if clock() >= deadline:
                which = f"the first {tried} of " if tried < len(urls) else ""
                raise LoadError(
                    TargetReason.TARGET_UNREACHABLE,
                    f"none of {which}{len(urls)} nodes{endpoint} responded within {seconds:g} s;"
                    f" last {last}; check that Solr runs, and network policies for the load pods",
                )
            if not tried % len(urls):
                pause(_PAUSE_SECONDS)
