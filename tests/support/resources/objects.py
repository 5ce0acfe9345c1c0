"""Every object of a benchmark, as the operator would apply it."""

from collections.abc import Set as AbstractSet
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from typing import Any

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.conditions import Attempts
from solrbench.api.v1alpha1.results import Export, ExportVolume
from solrbench.contract.endpoints import zookeeper_path
from solrbench.contract.load_plan import LoadPlan, auth_files
from solrbench.contract.pod_plans import ExportPlan, IndexPlan, StoredDocument
from solrbench.contract.storage import ChunkedDocument
from solrbench.manifests.agent import add_agents
from solrbench.manifests.common import Manifest, OperatorImage
from solrbench.manifests.companion_bundle import ManifestText, parse_bundle
from solrbench.manifests.companion_objects import BundleScope, CompanionBundle
from solrbench.manifests.companions import build_companions
from solrbench.manifests.index import build_index
from solrbench.manifests.load import build_load
from solrbench.manifests.results import (
    build_diagnostics,
    build_environment,
    build_export,
    build_report,
)
from solrbench.manifests.solr import build_solr
from solrbench.manifests.solr_cloud import build_solr_cloud
from solrbench.manifests.zookeeper import build_zookeeper
from support.narrowing import not_none
from support.resources.companions import DEPLOYMENT, FILES, SERVICE, VALUES, WORKERS, text_of
from support.resources.small_resource import SOLR, Changes, resource

IMAGE = OperatorImage("registry.example.org/solrbench:1.0", "Never", ("registry",))
ATTEMPT = 2
STARTED = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
POD_KINDS = ("StatefulSet", "Job", "Deployment")


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
    solr = not_none(benchmark.spec.target.solr_cloud)
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
    solr = not_none(benchmark.spec.target.solr_cloud)
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
        token="t",
    )
    return [
        *build_index(benchmark, index_plan, IMAGE, ATTEMPT),
        *build_load(benchmark, load_plan, IMAGE),
    ]


def reports(changes: Changes | None) -> list[Manifest]:
    """Return the objects that hold results."""
    benchmark = stored(changes)
    document = ChunkedDocument((b"first", b"second"), "5" * 64)
    return [
        *build_report(benchmark, "r1-s0-one", document, ATTEMPT),
        build_environment(benchmark, "{}"),
        build_diagnostics(benchmark, {"target-1-load-1.txt": "logs"}),
        *exports(changes),
    ]


def exports(changes: Changes | None) -> list[Manifest]:
    """Return the objects of an export to a volume."""
    status = Status(attempts=Attempts(load=ATTEMPT))
    benchmark = stored(changes).model_copy(update={"status": status})
    plan = ExportPlan(
        benchmark=benchmark.key,
        export=Export(persistent_volume_claim=ExportVolume(claim_name="reports")),
        folder="20260504T120000Z-0b5b0000",
        documents=[StoredDocument(chunks=["base-report-r1-s0-one-0"], sha256="5" * 64)],
    )
    return build_export(benchmark, plan, IMAGE, "0123456789abcdef", ["target-1-load-1.txt"])


def companions(
    deployment: dict[str, Any] = DEPLOYMENT, changes: Changes | None = None
) -> list[Manifest]:
    """Return the objects of a proxy in front of Solr."""
    benchmark, text = stored(changes), text_of(deployment, SERVICE, FILES)
    bundle = _bundle(text, benchmark.metadata.name, benchmark.metadata.namespace)
    return build_companions(benchmark, deepcopy(bundle), ATTEMPT)


@cache
def _bundle(text: str, name: str, namespace: str) -> CompanionBundle:
    scope = BundleScope(name, namespace, VALUES)
    return parse_bundle([ManifestText("a ConfigMap", text, WORKERS)], scope)


def everything(changes: Changes | None = None) -> list[Manifest]:
    return [*target(changes), *tools(changes), *companions(changes=changes), *reports(changes)]


def pick(objects: list[Manifest], kind: str, name: str) -> Manifest:
    """Return the one object of this kind and name."""
    (found,) = [
        each for each in objects if each["kind"] == kind and each["metadata"]["name"] == name
    ]
    return found


def pod(manifest: Manifest) -> dict[str, Any]:
    found: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return found


def mounted(manifest: Manifest, name: str) -> tuple[str, dict[str, Any]]:
    """Return where the only container has a volume, which is read-only for it, and its source."""
    (mount,) = [each for each in container(manifest)["volumeMounts"] if each["name"] == name]
    assert mount == {"name": name, "mountPath": mount["mountPath"], "readOnly": True}
    (volume,) = [each for each in pod(manifest)["volumes"] if each["name"] == name]
    return mount["mountPath"], {key: volume[key] for key in volume if key != "name"}


def container(manifest: Manifest) -> dict[str, Any]:
    """Return the only container of a StatefulSet or Job."""
    (found,) = pod(manifest)["containers"]
    return dict(found)


def environment(manifest: Manifest) -> dict[str, str]:
    """Return the plain environment variables of the only container."""
    return {each["name"]: each["value"] for each in container(manifest)["env"] if "value" in each}
