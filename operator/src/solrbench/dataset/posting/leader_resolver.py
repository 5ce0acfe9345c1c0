"""Where the leaders of the shards are, read from Solr itself."""

import httpx

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.posting.update_response import connection_failure, refusal, unavailable
from solrbench.dataset.routing.routes import Routes, parse_routes


class LeaderResolver:
    """Reads the routes of one collection from whichever node responds."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        urls: list[str],
        collection: str,
        id_field: str,
        direct: dict[str, str] | None = None,
    ) -> None:
        """Keep the nodes' base URLs, such as `http://host:8983/solr`.

        Args:
            http: the client
            urls: of the nodes, or of what stands in front of them
            collection: its name
            id_field: unique key of its schema
            direct: nodes that may be addressed directly; see `IndexPlan.leader_urls`

        """
        self._http = http
        self._urls = list(urls)
        self._collection = collection
        self._id_field = id_field
        self._direct = direct

    async def read(self) -> Routes:
        """Return the routes as they are now.

        Raises:
            IndexingError: no node knows the collection; a retry may succeed

        """
        failure = unavailable("spec.target", "has no node")
        for url in self._urls:
            try:
                return await self._fetch(url)
            except IndexingError as error:
                failure = error
            except httpx.TransportError as error:
                failure = connection_failure(url, error)
            if failure.permanent:
                break
        raise failure

    async def _fetch(self, url: str) -> Routes:
        response = await self._http.get(
            f"{url}/admin/collections",
            params={"action": "CLUSTERSTATUS", "collection": self._collection, "wt": "json"},
        )
        if turned_away := refusal(response.status_code, url):
            raise turned_away
        if response.status_code != 200:
            raise unavailable(url, f"HTTP {response.status_code} for CLUSTERSTATUS")
        try:
            routes = parse_routes(response.json(), self._collection, self._id_field)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise unavailable(url, f"CLUSTERSTATUS is not as expected: {error!r}") from error
        if routes is None or not routes.shards:
            raise unavailable(url, f"there is no active shard of collection {self._collection}")
        if self._direct is None:
            return routes
        endpoints = [f"{each}/{self._collection}" for each in self._urls]
        return routes.via_endpoints(endpoints, self._direct)
