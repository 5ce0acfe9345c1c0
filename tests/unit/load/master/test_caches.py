"""Caches that are emptied, and how that is checked."""

import asyncio
from itertools import count
from typing import Any

import pytest

from solrbench.contract.windows import CacheSample, EmptiedCaches
from solrbench.load.errors import LoadError
from solrbench.load.master.caches import (
    CacheCounts,
    CacheReset,
    CacheSampler,
    count_entries,
    count_lookups,
)
from solrbench.net.http import NO_AUTH
from solrbench.telemetry.solr_json import CACHE_PARAMETERS, parse_solr_json
from solrbench.telemetry.solr_prometheus import parse_solr_prometheus
from support.failing import failing
from support.load.fake_workers import load_plan
from support.narrowing import not_none
from support.servers.caching_solr import CachingSolr
from support.servers.http_server import Exchange, HttpServer, Script


def cache(lookups: int, hits: int) -> dict[str, float]:
    return {"lookups": 1, "hits": 1, "cumulative_lookups": lookups, "cumulative_hits": hits}


def core(collection: str = "books", **caches: dict[str, float]) -> dict[str, Any]:
    named = {f"CACHE.searcher.{name}": figures for name, figures in caches.items()}
    return {"CORE.collection": collection, **named}


def answer(*nodes: list[dict[str, Any]]) -> dict[str, Any]:
    found = {
        f"solr-{index}:8983_solr": {
            "responseHeader": {"status": 0},
            "metrics": {f"solr.core.c{index}.{number}": each for number, each in enumerate(cores)},
        }
        for index, cores in enumerate(nodes)
    }
    return {"responseHeader": {"status": 0, "QTime": 3}, **found}


def counts_in_json(response: dict[str, Any]) -> CacheCounts | None:
    return count_lookups(parse_solr_json(response, "books", 0))


def counts_in_text(text: str, collection: str) -> CacheCounts | None:
    reading = parse_solr_prometheus(text, "a:8983", collection, 0)
    return count_lookups([] if reading is None else [reading])


def test_cores_of_all_nodes_are_added() -> None:
    first = core(filterCache=cache(10, 4), documentCache=cache(7, 0))
    other = core(filterCache=cache(100, 50), documentCache=cache(3, 3))
    nodes = answer([first, core(filterCache=cache(1, 1))], [other])
    found = not_none(counts_in_json(nodes))
    assert found.cores == {"solr.core.c0.0", "solr.core.c0.1", "solr.core.c1.0"}
    assert found.counts == {"filterCache": (111, 55), "documentCache": (10, 3)}


def test_other_collections_do_not_count() -> None:
    both = answer([core("books2", filterCache=cache(5, 5)), core(filterCache=cache(2, 1))])
    found = not_none(counts_in_json(both))
    assert found.cores == {"solr.core.c0.1"}
    assert found.counts == {"filterCache": (2, 1)}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"responseHeader": {"status": 0}},
        {"error": {"msg": "no"}},
        answer([core("films", filterCache=cache(1, 1))]),
        answer([core()]),
        answer([core(filterCache={"lookups": 3, "hits": 1})]),
    ],
)
def test_responses_without_counts_give_no_sample(given: dict[str, Any]) -> None:
    assert counts_in_json(given) is None


def lookups(core: str, cache: str, hits: int, misses: int, collection: str = "books") -> str:
    """Return two lines as `CaffeineCache` of Solr 10.0.0 has them."""
    labels = f'category="CACHE",collection="{collection}",core="{core}",name="{cache}"'
    name = "solr_core_indexsearcher_cache_lookups_total"
    return "".join(
        f'{name}{{{labels},result="{result}",shard="shard1"}} {number}.0\n'
        for result, number in (("hit", hits), ("miss", misses))
    )


def test_cores_of_solr_10_are_added() -> None:
    text = "# TYPE solr_core_indexsearcher_cache_lookups counter\n" + "".join(
        (
            lookups("c1", "filterCache", 4, 6),
            lookups("c2", "filterCache", 50, 50),
            lookups("c1", "documentCache", 0, 7),
            lookups("c1", "perSegFilter", 1, 1),
            lookups("f1", "filterCache", 9, 9, "films"),
        )
    )
    found = not_none(counts_in_text(text, "books"))
    assert found.cores == {"c1", "c2"}
    assert found.counts == {"filterCache": (110, 54), "documentCache": (7, 0)}
    assert counts_in_text(text, "other") is None


async def sampled(texts: list[str]) -> list[CacheSample]:
    """Sample a Solr 10 that responds with these, one after another."""
    waiting = iter(texts)

    async def solr(exchange: Exchange) -> None:
        if dict(exchange.parameters)["wt"] == "json":
            exchange.send(b"Only Prometheus", status=400)
        else:
            exchange.send(next(waiting).encode())

    def sample(url: str) -> list[CacheSample]:
        sampler = CacheSampler(load_plan(STEP, solrUrls=[url]), lambda: NO_AUTH)
        for _ in texts[:-1]:
            sampler._sample()
        samples = sampler.end(0.0)
        sampler._source.close()
        return samples

    async with HttpServer(solr) as server:
        return await asyncio.to_thread(sample, server.url)


async def test_solr_10_is_sampled() -> None:
    texts = [lookups("c1", "filterCache", 1, 1), lookups("c1", "filterCache", 5, 2)]
    found = [(each.cache, each.lookups, each.hits) for each in await sampled(texts)]
    assert found == [("filterCache", 2, 1), ("filterCache", 7, 5)]


async def test_another_node_of_solr_10_behind_the_same_address_is_no_sample() -> None:
    texts = [lookups("c1", "filterCache", 1, 1), lookups("c2", "filterCache", 50, 20)]
    assert [each.lookups for each in await sampled(texts)] == [2]


def test_only_what_is_needed_is_asked() -> None:
    assert CACHE_PARAMETERS["prefix"] == (
        "CACHE.searcher.filterCache,CACHE.searcher.queryResultCache,"
        "CACHE.searcher.documentCache,CORE.collection"
    )


STEP = {"name": "one", "users": 1, "requests": 1}


async def empty(solr: Script, **fields: Any) -> EmptiedCaches:
    """Empty the caches of a Solr; a second passes with each look at the clock."""
    clock = count()
    async with HttpServer(solr) as server:
        plan = load_plan(STEP, solrUrls=[server.url], **fields)
        reset = CacheReset(plan, lambda: NO_AUTH, lambda _: None, lambda: float(next(clock)))
        return await asyncio.to_thread(reset.empty)


def filled(**fields: Any) -> CachingSolr:
    solr = CachingSolr(**fields)
    solr.entries = 42
    return solr


@pytest.mark.parametrize("text", [False, True], ids=["Solr 9", "Solr 10"])
async def test_caches_are_emptied(text: bool) -> None:
    solr = filled(text=text)
    found = await empty(solr)
    assert (found.entries_before, found.cores) == (42, 1)
    assert (solr.emptied, solr.entries) == ([42], 0)


async def test_caches_behind_an_alias_are_emptied() -> None:
    assert (await empty(filled(), collection="library", aliased="books")).entries_before == 42


async def test_metrics_of_the_old_core_are_waited_out() -> None:
    solr = filled(slow_reads=5)
    assert (await empty(solr)).seconds > 5


def silent_after_reload(reads: int, body: bytes) -> Script:
    """Return a Solr that responds so to the first readings of its metrics after a RELOAD."""
    solr, left = filled(), iter(range(reads))

    async def respond(exchange: Exchange) -> None:
        is_of_metrics = exchange.path.endswith("/admin/metrics")
        if solr.emptied and is_of_metrics and next(left, None) is not None:
            exchange.send(body)
        else:
            await solr(exchange)

    return respond


WITHOUT_CACHES = b'{"a:8983_solr": {"metrics": {"solr.core.c": {"CORE.collection": "books"}}}}'


@pytest.mark.parametrize("body", [WITHOUT_CACHES, b"{}"], ids=["no caches", "no nodes"])
async def test_a_moment_without_metrics_is_waited_out(body: bytes) -> None:
    # A look at the begin, one for the limit, one after each reading that is silent, one at the end.
    assert (await empty(silent_after_reload(3, body))).seconds == 5


@pytest.mark.parametrize(
    ("body", "reason", "text"),
    [
        (WITHOUT_CACHES, "CachesNotEmpty", "no caches of books .*caches to Keep"),
        (b"{}", "CachesNotReloaded", "could not be read: .* responds without metrics of a node"),
    ],
)
async def test_caches_that_are_not_reported_again(body: bytes, reason: str, text: str) -> None:
    with failing(LoadError, reason, text):
        await empty(silent_after_reload(1000, body))


async def test_caches_that_the_config_set_fills_are_an_error() -> None:
    with failing(LoadError, "CachesNotEmpty", "3 entries 60 s after RELOAD, limit 0"):
        await empty(filled(warming=3))


@pytest.mark.parametrize("caches", [b"", b', "CACHE.searcher.filterCache": {}'])
async def test_caches_that_are_not_reported_are_an_error(caches: bytes) -> None:
    async def no_caches(exchange: Exchange) -> None:
        core = b'{"CORE.collection": "books"%b}' % caches
        exchange.send(b'{"a": {"metrics": {"solr.core.c": %b}}}' % core)

    with failing(LoadError, "CachesNotEmpty", r"no caches of books .*caches to Keep"):
        await empty(no_caches)


async def test_a_response_that_is_not_solrs_is_an_error() -> None:
    async def other(exchange: Exchange) -> None:
        exchange.send(b"<html>")

    with failing(LoadError, "CachesNotReloaded", "caches of books could not be read: no metrics"):
        await empty(other)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b"", 503, "503"),
        (b"<html>", 200, "RELOAD of books: "),
        (b"[]", 200, "RELOAD of books: AttributeError"),
        (b'{"failure": {"b:8983_solr": "timeout"}}', 200, "failed on b:8983_solr"),
    ],
)
async def test_reload_that_fails_may_be_tried_again(body: bytes, status: int, text: str) -> None:
    solr = filled()

    async def refuse(exchange: Exchange) -> None:
        if exchange.path.endswith("/admin/collections"):
            exchange.send(body, status=status)
        else:
            await solr(exchange)

    with failing(LoadError, "CachesNotReloaded", text):
        await empty(refuse)


def test_entries_of_all_caches_and_cores_are_added() -> None:
    full = core(filterCache={"size": 1}, queryResultCache={"size": 2})
    response = answer([full, core(documentCache={"size": 4})], [core(filterCache={"size": 8})])
    assert count_entries(parse_solr_json(response, "books", 0)) == (3, 15)
