"""What an operator calls in a world in memory: cluster, Solr and load master, each call counted."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2 as httpx

from solrbench.contract.load_plan import LoadState
from solrbench.contract.names import LABEL_STEP_RUN
from solrbench.contract.step_document import StepRunResult
from solrbench.errors import TemporaryError
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.load import LoadReason
from support.fakes.fake_cluster import WRITES, FakeCluster, Request
from support.faults.crossings import Call, Crossings
from support.solr.cloud import Cloud

if TYPE_CHECKING:
    from support.faults.world import World

T = TypeVar("T")
Body = dict[str, Any]
HEAP_BYTES = 512 << 20


class ListedCluster(FakeCluster):
    """Objects with uids of their own; a stale list lacks the last change of the operator."""

    def __init__(self, crossings: Crossings) -> None:
        self._crossings, self._made = crossings, 0
        self._last: tuple[Any, Body | None] | None = None
        super().__init__(unknown=(), fault=self._cross)

    def put(self, body: Body) -> Body:
        if "uid" not in body["metadata"]:
            self._made += 1
            body["metadata"]["uid"] = f"{self._made:08d}-{body['metadata']['name']}"
        return super().put(body)

    def _cross(self, request: Request, serve: Callable[[], Any]) -> Any:
        metadata = request.arguments
        for key in ("manifest", "body"):
            metadata = metadata.get(key, {}).get("metadata") or metadata
        name = metadata.get("name", "")
        call = Call("cluster", request.method, f"{request.kind}/{name}", request.method in WRITES)

        def serve_and_keep() -> Any:
            if call.is_write:
                key = request.kind, metadata.get("namespace", "default"), name
                self._last = key, self.objects.get(key)
            return serve()

        def serve_stale() -> Any:
            now, self.objects = self.objects, dict(self.objects)
            key, before = self._last or (None, None)
            self.objects.pop(key, None)  # type: ignore[arg-type]
            if before is not None:
                self.objects[key] = before  # type: ignore[index]
            try:
                found = serve()
                return found if isinstance(found, list) else iter(list(found))
            finally:
                self.objects = now

        error = functools.partial(TemporaryError, ApiServerReason.API_UNREACHABLE, "HTTP 503")
        return self._crossings.cross(call, serve_and_keep, error, serve_stale)


@dataclass
class CalledCloud(Cloud):
    """A Solr whose every request is a call, and whose nodes may be pods of the benchmark."""

    crossings: Crossings = field(default_factory=Crossings)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        what = dict(request.url.params).get("action") or request.url.path
        call = Call("solr", request.method, what, request.method == "POST")
        serve = functools.partial(super()._answer, request)
        return self.crossings.cross(call, serve, lambda: httpx.ReadError("connection reset"))

    def _read(self, what: str, params: dict[str, str]) -> tuple[int, Any]:
        if what == "STATUS":
            size = {"numDocs": self.documents, "sizeInBytes": 700, "deletedDocs": 0}
            cores = {f"{each}_shard1_replica_n1": {"index": size} for each in self.collections}
            return 200, {"status": cores}
        return super()._read(what, params)

    def _change(self, what: str, params: dict[str, str]) -> tuple[int, Any]:
        """Refuse what Solr refuses."""
        name, config_set = params.get("name", ""), params.get("collection.configName")
        problems = {
            "CREATE": (
                (name in self.collections, f"collection already exists: {name}"),
                (config_set not in self.config_sets, f"Can not find the specified {config_set}"),
            ),
            "DELETE": ((name not in self.collections, f"Could not find collection : {name}"),),
            "DELETE CONFIG": (
                (name not in self.config_sets, f"ConfigSet does not exist: {name}"),
                (
                    any(each["configName"] == name for each in self.collections.values()),
                    f"Can not delete ConfigSet as it is currently being used: {name}",
                ),
            ),
        }
        for holds, message in problems.get(what, ()):
            if holds:
                return 400, {"error": {"msg": message, "code": 400}}
        return super()._change(what, params)

    def _system(self, started: str) -> Body:
        return super()._system(started) | {
            "jvm": {"memory": {"raw": {"max": HEAP_BYTES}}, "jmx": {"startTime": started}}
        }


@dataclass
class CalledMaster:
    """A load master, which finishes a step run a round after the one before was acknowledged."""

    world: "World"
    uid: str
    step_runs: list[str]

    def state(self) -> LoadState:
        return self._call("state", "", self._state)

    def result(self, step_run_id: str) -> StepRunResult:
        return self._call("result", step_run_id, lambda: self.world.result(self.uid, step_run_id))

    def unfinished(self) -> StepRunResult | None:
        return self._call("unfinished", "", lambda: self.world.unfinished(self.step_runs))

    def acknowledge(self, step_run_id: str) -> None:
        def serve() -> None:
            chunks = self.world.cluster.select("ConfigMap", None, {LABEL_STEP_RUN: step_run_id})
            assert chunks, f"{step_run_id} is dropped before it is stored"
            self.world.acknowledged[self.uid].add(step_run_id)

        self._call("acknowledge", step_run_id, serve, is_write=True)

    def _state(self) -> LoadState:
        stored, now = self.world.acknowledged[self.uid], self.world.operator.now
        begun = self.world.begun.setdefault((self.uid, len(stored)), now)
        possible = self.step_runs[: self.world.finished]
        waiting = [each for each in possible if each not in stored and now > begun]
        return LoadState(stage="Measuring", requests=len(stored), unacknowledged=waiting[:1])

    def _call(
        self, method: str, about: str, serve: Callable[[], T], *, is_write: bool = False
    ) -> T:
        error = functools.partial(TemporaryError, LoadReason.LOAD_MASTER_UNREACHABLE, "reset")
        call = Call("master", method, about, is_write)
        return self.world.crossings.cross(call, serve, error)
