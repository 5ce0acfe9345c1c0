"""Batches posted to the leaders of their shards, again and again while it may help."""

from dataclasses import replace
from itertools import count

import httpx

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.posting.leader_resolver import LeaderResolver
from solrbench.dataset.posting.update_response import connection_failure, parse_failure, unavailable
from solrbench.dataset.progress import ProgressCounter
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.routing.batches import Batch
from solrbench.dataset.routing.routes import Routes

START_RETRIES = 10
"""DNS names of fresh pods resolve late, whatever `retries` says about batches."""

_HEADERS = {"Content-Type": "application/json"}


async def find_routes(leaders: LeaderResolver, retry_policy: RetryPolicy) -> Routes:
    """Return the routes as soon as a node responds.

    Raises:
        IndexingError: none did, after all retries

    """
    patient = replace(retry_policy, retries=max(retry_policy.retries, START_RETRIES))
    return await patient.call_async(leaders.read)


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
        attempts = count()

        async def attempt() -> None:
            if number := next(attempts):
                await self._prepare_retry(number)
            await self._post(batch)

        await self._retry_policy.call_async(attempt)
        self._counter.accepted(batch.documents, len(batch.body))

    async def _prepare_retry(self, number: int) -> None:
        if number == 1:
            self._counter.retried()
        try:
            self._routes = await self._leaders.read()
        except IndexingError:
            return  # the old leaders are the best guess; the attempt itself shows what is wrong

    async def _post(self, batch: Batch) -> None:
        self._turn += 1
        leader = self._routes.leader_of(batch.shard, self._turn)
        if leader is None:
            raise unavailable(f"shard {batch.shard or 'of any name'}", "has no active leader")
        try:
            response = await self._http.post(
                f"{leader}/update",
                params=self._params(batch),
                content=batch.body,
                headers=_HEADERS,
            )
        except httpx.TransportError as error:
            raise connection_failure(leader, error) from error
        if failure := parse_failure(response.status_code, response.content, leader):
            raise failure

    def _params(self, batch: Batch) -> dict[str, str]:
        params = {"wt": "json"}
        if self._routes.implicit and not self._routes.field_routed and batch.shard is not None:
            params["_route_"] = batch.shard
        return params
