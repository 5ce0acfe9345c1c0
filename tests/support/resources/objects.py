"""Every object of a benchmark, as the operator would apply it."""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Any

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.manifests.agent import add_agents
from solrbench.manifests.common import Manifest, OperatorImage
from solrbench.manifests.index_job import build_index
from solrbench.manifests.load import build_load
from solrbench.manifests.report import build_environment, build_evidence, build_report
from solrbench.manifests.solr import build_solr
from solrbench.manifests.solr_cloud import build_solr_cloud
from solrbench.manifests.zookeeper import build_zookeeper
from solrbench.plan.auth_files import auth_files
from solrbench.plan.index_plan import IndexPlan
from solrbench.plan.load_plan import LoadPlan
from solrbench.plan.zookeeper_path import zookeeper_path
from solrbench.results.model.storage import ChunkedDocument
from support.resources.small_resource import SOLR, Changes, resource

IMAGE = OperatorImage("registry.example.org/solrbench:1.0", "Never", ("registry",))
ATTEMPT = 2
STARTED = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
POD_KINDS = ("StatefulSet", "Job")


def stored(changes: Changes | None = None) -> SolrBenchmark:
    """Return a benchmark as it is stored: with namespace and uid."""
    base = {
        "metadata.namespace": "search",
        "metadata.uid": "0b5b",
        f"{SOLR}.provisioner": "StatefulSet",
    }
    return SolrBenchmark.parse(resource(base | (changes or {})))


def target(changes: Changes | None = None) -> list[Manifest]:
    """Return the objects of ZooKeeper and Solr."""
    benchmark = stored(changes)
    solr = benchmark.spec.target.solr_cloud
    assert solr is not None
    built = [
        *build_zookeeper(benchmark, solr, ATTEMPT),
        *build_solr(benchmark, solr, ATTEMPT, zookeeper_path(benchmark, solr, STARTED, ATTEMPT)),
    ]
    return add_agents(benchmark, IMAGE, built)


def operated_target(
    changes: Changes | None = None, known_options: AbstractSet[str] = frozenset()
) -> Manifest:
    """Return the SolrCloud of the same benchmark under the Solr Operator."""
    benchmark = stored({f"{SOLR}.provisioner": "SolrOperator"} | (changes or {}))
    solr = benchmark.spec.target.solr_cloud
    assert solr is not None
    state = zookeeper_path(benchmark, solr, STARTED, ATTEMPT)
    cloud = build_solr_cloud(benchmark, solr, ATTEMPT, state, known_options)
    (whole,) = add_agents(benchmark, IMAGE, [cloud])
    return whole


def tools(changes: Changes | None = None) -> list[Manifest]:
    """Return the objects of indexing and load."""
    benchmark = stored(changes)
    spec = benchmark.spec
    assert spec.dataset is not None
    index_plan = IndexPlan(
        benchmark=benchmark.key,
        solr_urls=["http://solr:8983/solr"],
        collection="base",
        router=spec.collection.router.name,
        shards=spec.collection.shards,
        dataset=spec.dataset,
        access=auth_files(spec.target.existing),
    )
    load_plan = LoadPlan(
        benchmark=benchmark.key,
        attempt=ATTEMPT,
        solr_urls=["http://solr:8983/solr"],
        access=auth_files(spec.target.existing),
        collection="base",
        workload=spec.workload,
        workers=spec.load.workers,
        step_runs=[],
        master_host="master",
    )
    return [
        *build_index(benchmark, index_plan, IMAGE, ATTEMPT),
        *build_load(benchmark, load_plan, IMAGE, ATTEMPT),
    ]


def reports(changes: Changes | None = None) -> list[Manifest]:
    """Return the objects that hold results."""
    benchmark = stored(changes)
    document = ChunkedDocument((b"first", b"second"), "5" * 64)
    return [
        *build_report(benchmark, "r1-s0-one", document, ATTEMPT),
        build_environment(benchmark, "{}"),
        build_evidence(benchmark, {"target-1-load-1.txt": "logs"}),
    ]


def everything(changes: Changes | None = None) -> list[Manifest]:
    """Return all objects."""
    return [*target(changes), *tools(changes), *reports(changes)]


def pick(objects: list[Manifest], kind: str, name: str) -> Manifest:
    """Return the one object of this kind and name."""
    (found,) = [
        each for each in objects if each["kind"] == kind and each["metadata"]["name"] == name
    ]
    return found


def pod(manifest: Manifest) -> dict[str, Any]:
    """Return the pod spec of a StatefulSet or Job."""
    found: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return found


def container(manifest: Manifest) -> dict[str, Any]:
    """Return the only container of a StatefulSet or Job."""
    (found,) = pod(manifest)["containers"]
    return dict(found)


def environment(manifest: Manifest) -> dict[str, str]:
    """Return the plain environment variables of the only container."""
    return {each["name"]: each["value"] for each in container(manifest)["env"] if "value" in each}
