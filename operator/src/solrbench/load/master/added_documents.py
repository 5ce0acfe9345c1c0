"""The documents of steps that index: counted on every replica, then deleted.

Each step begins with the documents of the dataset alone, whatever was measured before it, also if a
worker, the master or the operator was lost meanwhile: ids name the try that they are of, and all of
any try are deleted before the next one.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx2 as httpx

from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.server_document import AddedDocuments
from solrbench.errors import format_error
from solrbench.load.errors import LoadError
from solrbench.load.schedule.messages import STEP_DOCUMENTS
from solrbench.net.http import NO_ANSWER_ERRORS, HttpAuth
from solrbench.reasons.load import LoadReason
from solrbench.solr.responses import ClusterStatus, CollectionState, ReplicaState

COMMIT_SECONDS = 600.0
"""A commit that drops deleted documents writes the segments anew that have some."""

WAIT_SECONDS = 120.0
"""Time until all replicas must agree; PULL replicas look for segments seconds after a commit."""

_PAUSE_SECONDS = 0.5
_MAX_DIFFERING = 5
_MAX_PROBLEM = 400
_logger = logging.getLogger(__name__)


class CountedReplica(NamedTuple):
    """A replica and its documents; None if it is not active."""

    core: str
    documents: int | None


@dataclass(eq=False, repr=False)
class StepDocuments:
    """Counts and deletes what steps of a plan added.

    `access` is called before the first request; `pause` waits, `now` gives monotonic seconds.
    """

    plan: LoadPlan
    access: Callable[[], HttpAuth]
    pause: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic
    are_left: bool = field(default=False, init=False)
    """Whether there may be some: of the last step, or of an attempt that ended in between."""

    def __post_init__(self) -> None:
        self.are_left = self.plan.steps_index and self.plan.attempt > 1

    def delete(self) -> None:
        """Delete the documents of all steps, and wait until no replica has any.

        It raises `LoadError` with `DocumentsNotDeleted` if that is not so in time.
        """
        with self.access().open_client(COMMIT_SECONDS) as http:
            try:
                # Not only marked as deleted: merges that drop them would be part of the next step.
                commit = {"commit": "true", "expungeDeletes": "true"}
                query = f"{{!prefix f={self.plan.id_field}}}{STEP_DOCUMENTS}"
                self._update(http, {"delete": {"query": query}}, commit)
            except NO_ANSWER_ERRORS as error:
                raise _not_deleted(format_error(error)) from error
            left = self._wait(http, STEP_DOCUMENTS, lambda documents: documents == 0)
        if left.documents or left.differing or left.problem:
            raise _not_deleted(left.problem or f"{left.documents} are left {left.differing}")
        self.are_left = False

    def count_and_delete(self, prefix: str, accepted: int) -> AddedDocuments:
        """Commit, and return the documents whose ids have a prefix, of which Solr `accepted` some.

        It waits for replicas that have fewer, within bounds. What cannot be counted or deleted is a
        problem of the result, or of the next step: what was measured is kept.
        """
        self.are_left = True
        try:
            with self.access().open_client(COMMIT_SECONDS) as http:
                self._update(http, [], {"commit": "true"})
                found = self._wait(http, prefix, lambda documents: documents >= accepted)
        except NO_ANSWER_ERRORS as error:
            return AddedDocuments(problem=format_error(error)[:_MAX_PROBLEM])
        try:
            self.delete()
        except LoadError as error:
            _logger.warning("%s: %s", error.reason, error.message)
        return found

    def _wait(
        self, http: httpx.Client, prefix: str, is_whole: Callable[[int], bool]
    ) -> AddedDocuments:
        """Return what replicas have, as soon as they agree and it is all, or when time is over."""
        deadline = self.now() + WAIT_SECONDS
        while True:
            try:
                found = agreed(self._count(http, prefix))
            except NO_ANSWER_ERRORS as error:
                found = AddedDocuments(problem=format_error(error)[:_MAX_PROBLEM])
            is_settled = not found.problem and not found.differing and is_whole(found.documents)
            if is_settled or self.now() >= deadline:
                return found
            self.pause(_PAUSE_SECONDS)

    def _count(self, http: httpx.Client, prefix: str) -> list[list[CountedReplica]]:
        state = read_collection(http, self.plan.solr_urls[0], self.plan.collection_of_cores)
        # Not kept in a cache of Solr.
        query = f"{{!prefix f={self.plan.id_field} cache=false}}{prefix}"
        return [
            [self._count_replica(http, each, query) for each in shard.replicas.values()]
            for shard in state.shards.values()
        ]

    def _count_replica(
        self, http: httpx.Client, replica: ReplicaState, query: str
    ) -> CountedReplica:
        found = None
        if replica.state == "active":
            url = f"{replica.base_url}/{replica.core}/select"
            parameters = {"q": query, "rows": "0", "distrib": "false", "wt": "json"}
            found = int(_json(http.get(url, params=parameters))["response"]["numFound"])
        return CountedReplica(replica.core, found)

    def _update(self, http: httpx.Client, body: object, parameters: dict[str, str]) -> None:
        url = f"{self.plan.solr_urls[0]}/{self.plan.collection}/update"
        _json(http.post(url, params={**parameters, "wt": "json"}, json=body))


def read_collection(http: httpx.Client, url: str, collection: str) -> CollectionState:
    """Return shards and replicas as the node at a URL knows them; else `NO_ANSWER_ERRORS`."""
    parameters = {"action": "CLUSTERSTATUS", "collection": collection, "wt": "json"}
    status = _json(http.get(f"{url}/admin/collections", params=parameters))
    return ClusterStatus.model_validate(status).cluster.collections[collection]


def agreed(shards: Sequence[Sequence[CountedReplica]]) -> AddedDocuments:
    """Return the documents that all replicas of each shard have, and the replicas that differ."""
    total, differing = 0, list[str]()
    for shard in shards:
        known = [each.documents for each in shard if each.documents is not None]
        total += min(known, default=0)
        for each in shard:
            if each.documents is None:
                differing.append(f"{each.core} is not active")
            elif each.documents != known[0]:
                differing.append(f"{each.core} has {each.documents}, another {known[0]}")
    return AddedDocuments(documents=total, differing=differing[:_MAX_DIFFERING])


def _json(response: httpx.Response) -> Any:
    return response.raise_for_status().json()


def _not_deleted(problem: str) -> LoadError:
    return LoadError(
        LoadReason.DOCUMENTS_NOT_DELETED,
        f"documents of an earlier step that indexes were not deleted: {problem[:_MAX_PROBLEM]};"
        " see Solr's log",
    )
