"""Samples Solr's caches during a step run, about once a second.

Nothing depends on the responses: where Solr does not report them, because a proxy stands in
between, the user lacks the permission, or a node is busy, there are no samples.
"""

import logging
import time
from collections.abc import Callable
from itertools import cycle

import gevent
import httpx
from gevent.event import Event

from solrbench.http_auth import HttpAuth
from solrbench.load.master.caches.cache_metrics import METRICS_PARAMETERS, CacheCounts, parse_caches
from solrbench.load.master.metrics_client import MetricsClient
from solrbench.plan.load_plan import LoadPlan
from solrbench.results.model.windows import MAX_CACHE_SAMPLES, CacheSample

_INTERVAL_SECONDS = 1.0
_TIMEOUT_SECONDS = 2.0
_MOST_FAILURES = 3
"""Failures in a row after which no more samples are taken in this step run."""

_MAX_SAMPLES = MAX_CACHE_SAMPLES // 3
"""Samples that are kept of one step run; each covers three caches."""

_DIGITS = 3

_logger = logging.getLogger(__name__)


class CacheSampler:
    """Sends requests to one node, which sends them to the others.

    `access` is called before the first request.
    """

    def __init__(self, plan: LoadPlan, access: Callable[[], HttpAuth]) -> None:
        self._collection = plan.collection
        self._urls = cycle(plan.solr_urls)
        self._url = next(self._urls)
        self._client = MetricsClient(access, _TIMEOUT_SECONDS)
        self._refused = False
        self._failures = 0
        self._interval = _INTERVAL_SECONDS
        self._samples: list[tuple[float, CacheCounts]] = []
        self._ended = Event()
        self._greenlet: gevent.Greenlet | None = None

    def begin(self) -> None:
        """Sample at once, then again and again until the end."""
        self._failures = 0
        self._interval = _INTERVAL_SECONDS
        self._samples = []
        self._ended = Event()
        self._sample()
        if not self._refused:
            self._greenlet = gevent.spawn(self._go_on)

    def end(self, start_time: float) -> list[CacheSample]:
        """Sample a last time; return everything, in seconds since `start_time` (monotonic)."""
        self._ended.set()
        if self._greenlet is not None:
            self._greenlet.join()
            self._greenlet = None
        if self._wanted:
            self._sample()
        return [
            CacheSample(
                second=round(moment - start_time, _DIGITS), cache=c, lookups=lookups, hits=hits
            )
            for moment, heard in self._samples
            for c, (lookups, hits) in heard.counts.items()
        ]

    @property
    def _wanted(self) -> bool:
        return not self._refused and self._failures < _MOST_FAILURES

    def _go_on(self) -> None:
        while self._wanted and not self._ended.wait(self._interval):
            self._sample()
            if len(self._samples) >= _MAX_SAMPLES:
                self._interval *= 2
                self._samples = self._samples[::2]

    def _sample(self) -> None:
        if self._refused:
            return
        before = time.monotonic()
        heard = self._read()
        if heard is None:
            self._failures += 1
            self._url = next(self._urls)
            return
        self._failures = 0
        if not self._samples or heard.cores == self._samples[0][1].cores:
            self._samples.append(((before + time.monotonic()) / 2, heard))

    def _read(self) -> CacheCounts | None:
        try:
            response = self._client.get(self._url, METRICS_PARAMETERS)
            if response.is_client_error:
                # Not allowed, or a Solr with another format: so will the next response be.
                self._refused = True
            return parse_caches(response.raise_for_status().json(), self._collection)
        except (httpx.HTTPError, ValueError, TypeError, AttributeError) as error:
            # Whatever a proxy says in place of Solr: it is no reason to stop measuring.
            _logger.info("no cache metrics from %s: %r", self._url, error)
            return None
