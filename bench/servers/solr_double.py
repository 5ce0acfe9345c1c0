"""A node that looks like Solr 9 to the load and its telemetry, with a weakness that is planted.

`python -m bench.servers.solr_double PORT '{"cpu_milliseconds": 5}'`. CPU time and the time of
requests are measured as they are; pauses are made, and reported as garbage collection. A node with
a `front_of` port only passes requests on, after a wait: a slow proxy.
"""

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from typing import Any

import psutil
from aiohttp import ClientSession, web

_ANSWER = {
    "responseHeader": {"status": 0, "QTime": 1},
    "response": {"numFound": 1, "start": 0, "docs": []},
}
_HEAP = 512 << 20


class Node:
    """One node, or the proxy in front of one."""

    def __init__(self, port: int, options: Mapping[str, float], peers: list[int]) -> None:
        self._port = port
        self._options = options
        self._peers = peers
        self._requests = 0
        self._seconds = 0.0
        self._paused = 0.0
        self._session: ClientSession | None = None

    def application(self) -> web.Application:
        """Return what is served."""
        application = web.Application()
        application.router.add_get("/solr/admin/metrics", self._metrics)
        application.router.add_route("*", "/solr/{rest:.*}", self._select)
        application.cleanup_ctx.append(self._run)
        return application

    async def _run(self, _application: web.Application) -> Any:
        pauses = asyncio.create_task(self._pause())
        async with ClientSession() as self._session:
            yield
        pauses.cancel()

    async def _pause(self) -> None:
        """Stand still for a share of each half second, as a collector does."""
        share = self._options.get("pause_percent", 0) / 100
        while share:
            await asyncio.sleep(0.5 * (1 - share))
            time.sleep(0.5 * share)  # noqa: ASYNC251 - the loop is to stand still
            self._paused += 0.5 * share

    async def _select(self, request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(self._options.get("wait_milliseconds", 0) / 1000)
        if "front_of" in self._options:
            return await self._pass_on(request)
        began = time.perf_counter()
        end = time.process_time() + self._options.get("cpu_milliseconds", 1) / 1000
        while time.process_time() < end:
            pass
        self._requests += 1
        waited = self._options.get("wait_milliseconds", 0) / 1000
        self._seconds += time.perf_counter() - began + waited
        return web.json_response(_ANSWER)

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        assert self._session is not None
        url = f"http://127.0.0.1:{int(self._options['front_of'])}{request.path_qs}"
        async with self._session.request(request.method, url, data=await request.read()) as found:
            body = await found.read()
            return web.Response(body=body, status=found.status, content_type="application/json")

    async def _metrics(self, request: web.Request) -> web.StreamResponse:
        if "front_of" in self._options:
            return await self._pass_on(request)
        nodes = {f"127.0.0.1:{self._port}_solr": {"metrics": self._registries()}}
        if request.query.get("nodes") == "all":
            assert self._session is not None
            for peer in self._peers:
                async with self._session.get(
                    f"http://127.0.0.1:{peer}/solr/admin/metrics"
                ) as found:
                    nodes |= await found.json()
        return web.json_response({"responseHeader": {"status": 0}, **nodes})

    def _registries(self) -> dict[str, Any]:
        jvm = {
            "os.processCpuTime": round(time.process_time() * 1e9),
            "os.availableProcessors": 1,
            "os.systemCpuLoad": psutil.cpu_percent() / 100,
            "gc.G1-Young-Generation.count": round(self._paused * 4),
            "gc.G1-Young-Generation.time": round(self._paused * 1000),
            "memory.heap.max": _HEAP,
            "memory.heap.used": _HEAP // 2,
            "memory.pools.G1-Old-Gen.used-after-gc": _HEAP // 4,
            "threads.count": 40,
            "threads.blocked.count": 0,
        }
        core = {
            "CORE.collection": "books",
            "QUERY./select.requests": self._requests,
            "QUERY./select.totalTime": round(self._seconds * 1e9),
        }
        return {"solr.jvm": jvm, "solr.core.books.shard1.replica_n1": core}


def main(arguments: list[str]) -> None:
    """Serve until it is ended."""
    port, options = int(arguments[0]), json.loads(arguments[1])
    peers = options.pop("peers", [])
    application = Node(port, options, peers).application()
    web.run_app(application, host="127.0.0.1", port=port, print=None, access_log=None)


if __name__ == "__main__":
    main(sys.argv[1:])
