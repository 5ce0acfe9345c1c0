"""The scenarios: what a user applies, and what happens meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.contract.names import LOAD_MASTER, LOAD_WORKER, SOLR
from support.cluster.benchmarks import config_map, small
from support.fakes.operator_driver import condition
from support.fakes.workloads import DOCUMENTS
from support.faults.crossings import Crossings
from support.faults.outcome import Outcome, outcome_of
from support.faults.world import World
from support.resources.companions import MANIFESTS, text_of
from support.resources.small_resource import Changes, change, create, use
from support.resources.small_sweep import small_sweep, sweep_of, users_axis
from support.transitions.walk import CLAIM

Body = dict[str, Any]
Prepare = Callable[[World], None]
STEPS = [{"name": f"step-{n}", "users": 2, "requests": 200} for n in (1, 2, 3)]
ONE, THREE = ({"spec.load.steps": STEPS[:number]} for number in (1, 3))
BY_OPERATOR = {"spec.target.solrCloud.provisioner": "SolrOperator"}
REPEATS = "spec.load.repeats"


def benchmark(name: str = "one", *changes: Changes) -> Body:
    """Return a benchmark of two steps on a target of its own, with changes."""
    body = small(name, dataset={"generator": {"documents": DOCUMENTS}}, cleanup="Always")
    body["spec"]["load"] |= {"steps": STEPS[:2]}
    for each in changes:
        for path, value in each.items():
            change(body, path, value)
    return body


def run(*changes: Changes) -> Prepare:
    return lambda world: _put(world, benchmark("one", *changes))


def _put(world: World, *bodies: Body) -> None:
    for body in bodies:
        body["metadata"].setdefault("generation", 1)
        world.cluster.put(body)


def _then(
    prepare: Prepare, *events: tuple[Callable[[World], bool], Callable[[World], None]]
) -> Prepare:
    def made(world: World) -> None:
        prepare(world)
        world.events.extend(events)

    return made


def _stored(steps: int) -> Callable[[World], bool]:
    return lambda world: world.stored_steps() >= steps


def _has(type_: str) -> Callable[[World], bool]:
    one = BENCHMARK.name, "default", "one"
    return lambda world: condition(world.cluster.objects.get(one, {}), type_)[0] == "True"


def _delete(world: World) -> None:
    world.delete(BENCHMARK.name, "one")


def _suspend(suspended: bool) -> Callable[[World], None]:
    return lambda world: world.change(BENCHMARK.name, "one", suspend=suspended)


def _is_suspended(world: World) -> bool:
    body = world.cluster.objects[BENCHMARK.name, "default", "one"]
    phase = body["status"].get("phase")
    return bool(phase == "Suspended" and not body["status"].get("startTime"))


def _sweep(*axes: Body, **spec: Any) -> Prepare:
    template = benchmark()["spec"] | {"load": {"steps": STEPS[:1]}}
    template.pop("cleanup")
    changes = {"spec.axes": list(axes), "spec.template.spec": template}
    body = small_sweep(changes | {f"spec.{key}": value for key, value in spec.items()})
    return lambda world: _put(world, body)


def _exported(world: World) -> None:
    export = {"spec.results.export": {"persistentVolumeClaim": {"claimName": "reports"}}}
    claim = CLAIM | {"metadata": CLAIM["metadata"] | {}}
    _put(world, claim, benchmark("one", create(), export))


def _large_export(world: World) -> None:
    """Let the results be large, and change the export when it is over."""
    world.patch.setattr("solrbench.controller.stages.export.MAX_KEPT_BYTES", 0)
    _exported(world)
    results = {"export": {"persistentVolumeClaim": {"claimName": "reports"}, "keep": 3}}
    world.events.append(
        (_has("Exported"), lambda each: each.change(BENCHMARK.name, "one", results=results))
    )


def _compared(world: World) -> None:
    """Compare with another benchmark, and with a report of the one before in a ConfigMap."""
    baseline = {"spec.comparison.baseline": {"benchmark": {"name": "one"}}}
    _put(world, benchmark("one", create(), ONE), benchmark("two", create(), ONE, baseline))


def _with_variants(world: World) -> None:
    names = ("nodes", "service")
    variants = [{"name": n, "endpoint": n.capitalize()} for n in names]
    world.workloads.variants = names
    world.microseconds = lambda each: 130_000 if "-v1-" in each else 100_000
    repeats = {"until": "Decided", "min": 3, "max": 5}
    _put(world, benchmark("one", ONE, {REPEATS: repeats, "spec.target.variants": variants}))


def _use_existing(world: World) -> None:
    world.cloud.make("books", "books")
    world.cloud.config_sets.add("books")
    _put(world, config_map("queries", queries__txt="solr"), benchmark("one", use(), ONE, TWICE))


def _restored(world: World) -> None:
    backup = {"name": "nightly", "location": "/backups"}
    queries = {"spec.workload.queries": {"configMap": {"name": "queries"}}}
    changes = {"spec.dataset": {"backup": backup}} | queries
    _put(world, config_map("queries", queries__txt="solr"), benchmark("one", create(), changes))


def _with_companions(world: World) -> None:
    companions = [{"configMap": {"name": "manifests"}, "values": {"WORKERS": "2"}}]
    text = text_of(*MANIFESTS)
    _put(
        world,
        config_map("manifests", all=text),
        benchmark("one", create(), ONE, {"spec.companions": companions}),
    )


def _restart_solr(world: World) -> None:
    """Let Solr's container have begun anew during the first step, which is stored already."""
    (pod,) = world.cluster.select("Pod", None, {"app.kubernetes.io/component": SOLR})
    ended = {"exitCode": 137, "finishedAt": world.last_end.isoformat(), "reason": "Error"}
    status = {"name": "solr", "restartCount": 1, "lastState": {"terminated": ended}}
    world.cluster.put(pod | {"status": pod["status"] | {"containerStatuses": [status]}})


def _break_off(world: World) -> None:
    """Let a worker end in the second step; the master still holds the result of the first."""
    world.finished = 1
    world.end_pod(LOAD_WORKER)


TWICE = {f"{REPEATS}.count": 2}
FRESH_TARGET, FRESH_DATA = (
    {f"{REPEATS}.startOn": each} | TWICE for each in ("FreshTarget", "FreshData")
)
USERS = users_axis(2)
BATCHES = {"name": "batch", "field": "dataset.indexing.batchSize", "values": [100, 200]}
NO_RETRY = {"spec.backoffLimit": 0}
SUSPENSION = (_stored(1), _suspend(True)), (_is_suspended, _suspend(False))

SCENARIOS: dict[str, Prepare] = {
    "existing Solr": run(create(), TWICE),
    "existing collection": _use_existing,
    "StatefulSet": run(),
    "Solr Operator": run(BY_OPERATOR),
    "fresh targets": run(FRESH_TARGET),
    "fresh data": run(FRESH_DATA),
    "fresh data on existing Solr": run(FRESH_DATA, create()),
    "target lost": _then(run(), (_stored(1), lambda world: world.lose_pod(SOLR))),
    "load lost": _then(run(), (_stored(1), lambda world: world.end_pod(LOAD_MASTER, "Error"))),
    "load fails": _then(run(NO_RETRY, THREE), (lambda world: bool(world.begun), _break_off)),
    # While the second result waits to be stored: it is that of another Solr.
    "Solr restarts": _then(
        run(), (lambda world: any(stored for _, stored in world.begun), _restart_solr)
    ),
    "suspended": _then(run(), *SUSPENSION),
    "suspended on existing Solr": _then(run(create()), *SUSPENSION),
    "backup": _restored,
    "suspended with a backup": _then(_restored, *SUSPENSION),
    "deleted at once": _then(run(create()), (_has("Accepted"), _delete)),
    "deleted with a new collection": _then(
        run(create()), (lambda world: bool(world.cloud.collections), _delete)
    ),
    "deleted while indexing": _then(
        run(create()), (lambda world: "one-index" in world.cluster.names("Job"), _delete)
    ),
    "deleted while measuring": _then(run(create(), TWICE), (_stored(2), _delete)),
    "deleted with its target": _then(run(), (_stored(1), _delete)),
    "deleted at its end": _then(run(create()), (_has("CleanedUp"), _delete)),
    "export": _exported,
    "large export": _large_export,
    "time to live": run(create(), ONE, {"spec.ttlSecondsAfterFinished": 6}),
    "kept target": run({"spec.cleanup": "Never"}, ONE),
    "queue of two": lambda world: _put(
        world, benchmark("one", create(), ONE), benchmark("two", create(), ONE)
    ),
    "baseline": _compared,
    "variants": _with_variants,
    "companions": _with_companions,
    "sweep that shares an index": _sweep(USERS),
    "sweep that shares a cluster": _sweep(BATCHES),
    "sweep of fresh targets": _sweep(USERS, startOn="FreshTarget"),
    "sweep in rounds": lambda world: _put(
        world, sweep_of(2, repeats={"until": "Decided", "min": 2, "max": 3})
    ),
    "sweep that is deleted": _then(
        _sweep(USERS), (_stored(1), lambda world: world.delete(SWEEP.name, "trial"))
    ),
}

SHARED = [each for each in SCENARIOS if each.startswith(("queue", "baseline", "sweep"))]
"""Those with several resources: one may be reconciled between two calls of another."""


def prepare(name: str, patch: pytest.MonkeyPatch) -> Callable[[Crossings], Callable[[], Outcome]]:
    """Return what makes the world of a scenario and runs it."""

    def make(crossings: Crossings) -> Callable[[], Outcome]:
        world = World(patch, crossings)
        SCENARIOS[name](world)

        def finish() -> Outcome:
            world.run()
            return outcome_of(world)

        return finish

    return make
