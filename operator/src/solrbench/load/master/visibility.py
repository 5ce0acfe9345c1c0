"""The time until replicas find a document: marked documents are added while a step is measured.

A document has found its way to a replica when a query to that replica alone (`distrib=false`) finds
it. The shard that it is in is asked for by a real-time get, which Solr's update log answers at
once, and then all replicas of that shard are asked again and again. All marked documents are
deleted after each step run, before its result is stored.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import gevent
import httpx2 as httpx
from gevent.event import Event
from gevent.pool import Group, Pool

from solrbench.api.v1alpha1.validity import Visibility
from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.server_document import VisibilityResult
from solrbench.errors import format_error
from solrbench.load.master.added_documents import read_collection
from solrbench.net.http import NO_ANSWER_ERRORS, HttpAuth, utf8_text
from solrbench.solr.responses import ReplicaState

PREFIX = "solrbench-visibility-"
"""What ids of marked documents begin with; no document of a dataset does."""

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.004, 0.016
"""Between two queries to a replica, while few documents are waited for."""

PAUSE_PART = 0.02
"""Of the time that a document is waited for: short times are known more exactly."""

FEW = 32
"""Documents under way above which the longest pause grows with them, so that a replica is never
asked more often than for so many."""

MAX_UNDER_WAY = 1000
"""More take too much memory; 32 hid the long times, as none was added while others waited."""

MAX_VALUES = 2000
"""Times that are kept of each replica type; of more, a random part."""

MAX_PROBLEM = 400
TIMEOUT_SECONDS = 10.0
_logger = logging.getLogger(__name__)


class FoundTime(NamedTuple):
    """The middle of the time in which a replica began to find a document, and half its length.

    It begins when the last query that did not find the document was sent, and ends when the first
    response with it was read: in a query, too, Solr may have searched at any time.
    """

    seconds: float
    error_seconds: float


def pause_seconds(waited: float, under_way: int) -> float:
    """Return the pause before a replica is asked again, while so many documents are waited for."""
    longest = MAX_PAUSE_SECONDS * max(1.0, under_way / FEW)
    return min(max(PAUSE_PART * waited, MIN_PAUSE_SECONDS), longest)


@dataclass(eq=False, repr=False)
class VisibilityProbe:
    """Adds and follows marked documents; `access` is called before the first request."""

    wanted: Visibility
    plan: LoadPlan
    access: Callable[[], HttpAuth]
    now: Callable[[], float]
    _http: httpx.Client | None = field(default=None, init=False)
    _ended: Event = field(default_factory=Event, init=False)
    _adding: gevent.Greenlet | None = field(default=None, init=False)
    _under_way: Pool = field(default_factory=lambda: Pool(MAX_UNDER_WAY), init=False)
    _waits: Group = field(default_factory=Group, init=False)
    """Each waits until a replica finds a document."""
    _shards: list[list[ReplicaState]] = field(default_factory=list, init=False)
    """The active replicas of each shard."""

    def __post_init__(self) -> None:
        # Drawn waits: with equal ones, each document would meet the same part of a commit period.
        self._random = Random(self.plan.benchmark)  # noqa: S311 - not a secret
        self._forget()

    def _forget(self) -> None:
        self._times: dict[str, list[FoundTime]] = {}
        self._found: Counter[str] = Counter()
        self._not_found: Counter[str] = Counter()
        self._skipped = 0
        self._problem = ""

    def begin(self) -> None:
        """Forget what was found before, and add nothing until `mark`."""
        self._stop()
        if self._http is None:
            self._http = self.access().open_client(TIMEOUT_SECONDS)
            self._remove()  # those of an attempt of the load that was lost
        self._forget()

    def mark(self, step_run: str) -> None:
        """Add marked documents from now on."""
        self._ended = Event()
        self._adding = gevent.spawn(self._add_until_end, step_run, self._ended)

    def end(self) -> list[VisibilityResult]:
        """Add no more, wait for those under way, delete all; return what was found."""
        if self._adding is None:
            return []
        self._stop()
        self._remove()
        if self._skipped:
            self._problem = (
                f"{self._skipped} marked documents were not added while {MAX_UNDER_WAY} were waited"
                " for, so that long times are rarer here than in truth; raise"
                f" load.visibility.intervalSeconds. {self._problem}"
            )[:MAX_PROBLEM].rstrip()
        types = sorted({each.type for shard in self._shards for each in shard} | {*self._found})
        return [
            VisibilityResult(
                replica_type=kind,
                documents=self._found[kind],
                not_found=self._not_found[kind],
                timeout_milliseconds=_milliseconds(self.wanted.timeout_seconds),
                milliseconds=[_milliseconds(each.seconds) for each in self._times.get(kind, [])],
                errors=[_milliseconds(each.error_seconds) for each in self._times.get(kind, [])],
                problem=self._problem,
            )
            for kind in types or [""]
        ]

    def _stop(self) -> None:
        self._ended.set()
        if self._adding is not None:
            self._adding.join()
            self._adding = None
        self._under_way.join(timeout=self.wanted.timeout_seconds + TIMEOUT_SECONDS)
        # Where Solr is slow, they would go on and count in the next step run.
        self._under_way.kill()
        self._waits.kill()

    def _add_until_end(self, step_run: str, ended: Event) -> None:
        try:
            url, collection = self.plan.solr_urls[0], self.plan.collection_of_cores
            self._shards = [
                [each for each in shard.replicas.values() if each.state == "active"]
                for shard in read_collection(self._client, url, collection).shards.values()
            ]
        except NO_ANSWER_ERRORS as error:
            self._note("the replicas could not be listed", error)
            return
        number = 0
        while not ended.wait(self.wanted.interval_seconds * self._random.uniform(0.5, 1.5)):
            if self._under_way.free_count():
                self._under_way.spawn(self._follow, f"{PREFIX}{step_run}-{number}")
                number += 1
            else:
                self._skipped += 1

    def _follow(self, document: str) -> None:
        within = self.wanted.commit_within_milliseconds
        body = [{**self.wanted.fields, self.plan.id_field: document}]
        try:
            self._post(body, {} if within is None else {"commitWithin": str(within)})
            accepted = self.now()
            replicas = self._shard_of(document)
        except NO_ANSWER_ERRORS as error:
            self._note("Solr did not take a marked document", error)
            return
        waits = [self._waits.spawn(self._wait, each, document, accepted) for each in replicas]
        gevent.joinall(waits)

    def _shard_of(self, document: str) -> list[ReplicaState]:
        if len(self._shards) == 1:
            return self._shards[0]
        for shard in self._shards:
            for replica in shard:
                # Replicas of type PULL refuse it.
                if replica.leader and self._get(replica, "get", {"id": document})["doc"]:
                    return shard
        raise ValueError("no leader has it")

    def _wait(self, replica: ReplicaState, document: str, accepted: float) -> None:
        # Not kept in a cache of Solr, where it would displace what users ask for.
        query = f"{{!term f={self.plan.id_field} cache=false}}{document}"
        missed = accepted
        # Until it is: what is cut off in the end was not found in time either.
        self._not_found[replica.type] += 1
        while (sent := self.now()) - accepted <= self.wanted.timeout_seconds:
            try:
                found = self._get(replica, "select", {"q": query, "rows": "0"})
                is_found = found["response"]["numFound"] > 0
            except NO_ANSWER_ERRORS as error:
                self._note(f"{replica.base_url}/{replica.core} did not respond", error)
            else:
                if is_found:
                    self._not_found[replica.type] -= 1
                    half = (self.now() - missed) / 2
                    self._keep(replica.type, FoundTime(missed + half - accepted, half))
                    return
                missed = sent
            gevent.sleep(pause_seconds(sent - accepted, len(self._under_way)))

    def _keep(self, kind: str, found: FoundTime) -> None:
        times = self._times.setdefault(kind, [])
        self._found[kind] += 1
        if len(times) < MAX_VALUES:
            times.append(found)
        # Each time is kept with the same probability (Vitter 1985, algorithm R).
        elif (place := self._random.randrange(self._found[kind])) < MAX_VALUES:
            times[place] = found

    def _remove(self) -> None:
        query = f"{{!prefix f={self.plan.id_field}}}{PREFIX}"
        try:
            self._post({"delete": {"query": query}}, {"commit": "true"})
        except NO_ANSWER_ERRORS as error:
            self._note("marked documents could not be deleted", error)

    @property
    def _client(self) -> httpx.Client:
        assert self._http is not None  # noqa: S101 - nothing is asked before `begin`
        return self._http

    def _get(self, replica: ReplicaState, handler: str, parameters: Mapping[str, str]) -> Any:
        url = f"{replica.base_url}/{replica.core}/{handler}"
        given = {**parameters, "wt": "json", "distrib": "false"}
        return self._client.get(url, params=given).raise_for_status().json()

    def _post(self, body: object, parameters: Mapping[str, str]) -> None:
        url = f"{self.plan.solr_urls[0]}/{self.plan.collection}/update"
        response = self._client.post(url, params={**parameters, "wt": "json"}, json=body)
        if response.is_client_error:
            raise ValueError(utf8_text(response)[:300])
        response.raise_for_status()

    def _note(self, what: str, error: Exception) -> None:
        self._problem = f"{what}: {format_error(error)}"[:MAX_PROBLEM]
        _logger.info("%s", self._problem)


def _milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 1)
