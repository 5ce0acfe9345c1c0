"""A Solr with one core whose caches fill with requests and are emptied by RELOAD."""

import json

from support.servers.http_server import Exchange


class CachingSolr:
    """Counts what it is asked for; each query adds an entry to a cache."""

    def __init__(self, *, warming: int = 0, text: bool = False, slow_reads: int = 0) -> None:
        self.queries: list[str] = []
        self.emptied: list[int] = []
        """Entries that each RELOAD dropped."""
        self.entries = 0
        self.warming = warming
        self.text = text
        """Whether metrics are only in Prometheus' format, as in Solr 10."""
        self.slow_reads = slow_reads
        """Readings of the metrics after a RELOAD that still show the old core."""
        self._old = 0

    async def __call__(self, exchange: Exchange) -> None:
        path, parameters = exchange.path, dict(exchange.parameters)
        if path.endswith("/admin/collections"):
            assert (parameters["action"], parameters["name"]) == ("RELOAD", "books")
            self.emptied.append(self.entries)
            self.entries, self._old = self.warming, self.slow_reads
            exchange.send(b'{"responseHeader": {"status": 0}}')
        elif path.endswith("/admin/metrics"):
            self._send_metrics(exchange)
        else:
            if path.endswith("/select"):
                self.queries.append(exchange.query)
                self.entries += 1
            exchange.send()

    def _send_metrics(self, exchange: Exchange) -> None:
        if self.text and dict(exchange.parameters)["wt"] == "json":
            exchange.send(b"no such format", status=400)
            return
        entries = self.entries
        if self._old:
            self._old -= 1
            entries = self.emptied[-1]
        exchange.send((_text if self.text else _json)(entries).encode())


def _json(entries: int) -> str:
    cache = {"size": entries, "cumulative_lookups": entries, "cumulative_hits": 0}
    core = {"CACHE.searcher.queryResultCache": cache, "CORE.collection": "books"}
    other = {"CACHE.searcher.queryResultCache": cache | {"size": 9}, "CORE.collection": "films"}
    node = {"metrics": {"solr.core.books.shard1.r1": core, "solr.core.films.shard1.r1": other}}
    return json.dumps({"responseHeader": {"status": 0}, "a:8983_solr": node})


def _text(entries: int) -> str:
    name = "solr_core_indexsearcher_cache_size"
    return "\n".join(
        f'{name}{{collection="{collection}",core="{collection}_r1",name="{cache}"}} {n}'
        for collection, cache, n in (
            ("books", "queryResultCache", float(entries)),
            ("books", "filterCache", 0.0),
            ("books", "perSegFilter", 3.0),
            ("films", "queryResultCache", 9.0),
        )
    )
