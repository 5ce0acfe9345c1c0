"""A client whose Solr responds from a table."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx

from solrbench.solr.client import SolrClient

Reply = Any | Exception | tuple[int, Any]
"""A JSON body for HTTP 200, a code with a body, or an exception of the transport."""


@dataclass
class Solr:
    """Requests that were sent, and their responses.

    Attributes:
        replies: by action or path; a list is used up, its last entry stays
    """

    replies: dict[str, Reply | list[Reply]]
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    def client(self, urls: tuple[str, ...] = ("http://a:8983/solr",)) -> SolrClient:
        client = SolrClient(urls)
        client._http.close()
        client._http = httpx.Client(transport=httpx.MockTransport(self._respond), trust_env=False)
        return client

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
