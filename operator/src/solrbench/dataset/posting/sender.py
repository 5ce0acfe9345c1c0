"""Batches posted to the leaders of their shards, again and again while it may help."""

import asyncio
import random
from dataclasses import dataclass

import httpx

from solrbench.dataset.backoff import Backoff
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.posting.leader_resolver import LeaderResolver
from solrbench.dataset.posting.update_response import connection_failure, parse_failure, unavailable
from solrbench.dataset.progress import ProgressCounter
from solrbench.dataset.routing.batches import Batch
from solrbench.dataset.routing.routes import Routes

START_RETRIES = 10
"""DNS names of fresh pods resolve late, whatever `retries` says about batches."""

_HEADERS = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long to wait.

    Attributes:
        retries: further attempts after the first one
        backoff: waits between them
        rng: for their jitter

    """

    retries: int
    backoff: Backoff
    rng: random.Random

    async def wait(self, attempt: int) -> None:
        """Wait before the `attempt`-th retry, from 1."""
        await asyncio.sleep(self.backoff.seconds(attempt, self.rng))


async def find_routes(leaders: LeaderResolver, retry_policy: RetryPolicy) -> Routes:
    """Return the routes as soon as a node answers.

    Raises:
        IndexingError: none did, after all retries

    """
    attempts = max(retry_policy.retries, START_RETRIES)
    for attempt in range(1, attempts + 1):
        try:
            return await leaders.read()
        except IndexingError as error:
            if error.permanent:
                raise
        await retry_policy.wait(attempt)
    return await leaders.read()


class Sender:
    """Posts batches; several may be under way at once."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        leaders: LeaderResolver,
        routes: Routes,
        retry_policy: RetryPolicy,
        counter: ProgressCounter,
    ) -> None:
        self._http = http
        self._leaders = leaders
        self._routes = routes
        self._retry_policy = retry_policy
        self._counter = counter
        self._turn = 0

    async def send(self, batch: Batch) -> None:
        """Post a batch until Solr has taken it, and count it.

        Raises:
            IndexingError: Solr refuses a document, or fails longer than the retries last

        """
        self._counter.sending()
        failure = await self._try(batch)
        for attempt in range(1, self._retry_policy.retries + 1):
            if failure is None or failure.permanent:
                break
            await self._prepare_retry(attempt)
            failure = await self._try(batch)
        if failure is not None:
            raise failure
        self._counter.accepted(batch.documents, len(batch.body))

    async def _prepare_retry(self, attempt: int) -> None:
        if attempt == 1:
            self._counter.retried()
        await self._retry_policy.wait(attempt)
        try:
            self._routes = await self._leaders.read()
        except IndexingError:
            return  # the old leaders are the best guess; the attempt itself reports what is wrong

    async def _try(self, batch: Batch) -> IndexingError | None:
        self._turn += 1
        leader = self._routes.leader_of(batch.shard, self._turn)
        if leader is None:
            return unavailable(f"shard {batch.shard or 'of any name'}", "has no active leader")
        try:
            answer = await self._http.post(
                f"{leader}/update",
                params=self._params(batch),
                content=batch.body,
                headers=_HEADERS,
            )
        except httpx.TransportError as error:
            return connection_failure(leader, error)
        return parse_failure(answer.status_code, answer.content, leader)

    def _params(self, batch: Batch) -> dict[str, str]:
        params = {"wt": "json"}
        if self._routes.implicit and not self._routes.field_routed and batch.shard is not None:
            params["_route_"] = batch.shard
        return params
