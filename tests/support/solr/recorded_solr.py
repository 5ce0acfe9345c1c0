"""Clients whose Solr responds in memory: by a function, or from a table."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx2 as httpx

from solrbench.net.http import NO_AUTH, HttpAuth
from solrbench.solr.client import SolrClient

P = ParamSpec("P")
Found = TypeVar("Found")

Reply = Any | Exception | tuple[int, Any]
"""A JSON body for HTTP 200, a code with a body, or an exception of the transport."""


def client_of(
    respond: Callable[[httpx.Request], httpx.Response],
    urls: Sequence[str] = ("http://a:8983/solr",),
    timeout_seconds: float = 1.0,
    access: HttpAuth = NO_AUTH,
) -> SolrClient:
    """Return a client whose requests a function responds to, below its HTTP library."""
    client = SolrClient(urls, timeout_seconds, access)
    client._http.close()
    transport = httpx.MockTransport(respond)
    client._http = httpx.Client(transport=transport, headers=access.headers, trust_env=False)
    return client


class SolrInMemory:
    """A Solr that is asked by clients of its own."""

    def client(self) -> SolrClient:
        raise NotImplementedError

    def call(
        self,
        function: Callable[Concatenate[SolrClient, P], Found],
        *arguments: P.args,
        **options: P.kwargs,
    ) -> Found:
        """Return what a function of a client returns."""
        with self.client() as client:
            return function(client, *arguments, **options)


@dataclass
class Solr(SolrInMemory):
    """Requests that were sent, and their responses."""

    replies: dict[str, Reply | list[Reply]]
    """By action or path; a list is used up, its last entry stays."""
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    def client(self, urls: tuple[str, ...] = ("http://a:8983/solr",)) -> SolrClient:
        return client_of(self._respond, urls)

    def actions(self) -> list[str]:
        return [params.get("action", path) for _, path, params, _ in self.asked]

    def _respond(self, request: httpx.Request) -> httpx.Response:
        params = dict(request.url.params)
        path = request.url.path.removeprefix("/solr")
        self.asked.append((request.method, path, params, request.read()))
        reply = self.replies[params.get("action", path)]
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if isinstance(reply, Exception):
            raise reply
        code, body = reply if isinstance(reply, tuple) else (200, reply)
        text = body if isinstance(body, str) else json.dumps(body)
        return httpx.Response(code, text=text)
