"""Results in ConfigMaps: stored, read back, listed."""

import base64
from collections import defaultdict

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import Cluster, Manifest
from solrbench.errors import NotYet
from solrbench.manifests.report import (
    CHUNK_KEY,
    CHUNKS_ANNOTATION,
    ENVIRONMENT_KEY,
    build_environment,
    build_report,
)
from solrbench.plan import names
from solrbench.plan.names import LABEL_PASS, selector
from solrbench.results.document import StepDocument
from solrbench.results.report import Environment, from_chunks, to_chunks


def stored_documents(cluster: Cluster, benchmark: SolrBenchmark) -> dict[str, StepDocument]:
    """Return the stored results by pass id, in the order of measuring; half-written ones are not.

    Raises:
        NotYet: if a stored document is damaged.

    """
    by_pass: dict[str, list[Manifest]] = defaultdict(list)
    for body in _config_maps(cluster, benchmark):
        pass_id = body["metadata"]["labels"].get(LABEL_PASS)
        if pass_id:
            by_pass[pass_id].append(body)
    documents = [_read(bodies) for bodies in by_pass.values() if _complete(bodies)]
    return {each.id: each for each in sorted(documents, key=lambda each: each.start_time)}


def report_names(cluster: Cluster, benchmark: SolrBenchmark) -> list[str]:
    """Return the names of all ConfigMaps of the report."""
    return sorted(body["metadata"]["name"] for body in _config_maps(cluster, benchmark))


def store_document(
    cluster: Cluster, benchmark: SolrBenchmark, document: StepDocument, attempt: int
) -> None:
    """Store a result and read it back.

    Raises:
        NotYet: if what is read is not what was written.

    """
    for manifest in build_report(benchmark, document.id, to_chunks(document), attempt):
        cluster.apply(manifest)
    if stored_documents(cluster, benchmark).get(document.id) != document:
        raise NotYet("ResultNotStored", f"the stored result of {document.id} differs")


def stored_environment(cluster: Cluster, benchmark: SolrBenchmark) -> Environment | None:
    """Return the record of what the benchmark ran on, if it is there."""
    body = cluster.get(
        "v1", "ConfigMap", benchmark.metadata.namespace, names.environment(benchmark)
    )
    return None if body is None else Environment.model_validate_json(body["data"][ENVIRONMENT_KEY])


def store_environment(cluster: Cluster, benchmark: SolrBenchmark, record: Environment) -> None:
    """Store the record of what the benchmark runs on."""
    cluster.apply(build_environment(benchmark, record.model_dump_json(by_alias=True, indent=2)))


def _config_maps(cluster: Cluster, benchmark: SolrBenchmark) -> list[Manifest]:
    labels = selector(benchmark, names.REPORT)
    return cluster.list("v1", "ConfigMap", benchmark.metadata.namespace, labels)


def _complete(bodies: list[Manifest]) -> bool:
    annotations = bodies[0]["metadata"].get("annotations") or {}
    return len(bodies) == int(annotations.get(CHUNKS_ANNOTATION, "0"))


def _read(bodies: list[Manifest]) -> StepDocument:
    ordered = sorted(bodies, key=lambda body: int(body["metadata"]["name"].rsplit("-", 1)[1]))
    chunks = [base64.b64decode(body["binaryData"][CHUNK_KEY]) for body in ordered]
    try:
        return from_chunks(chunks)
    except ValueError as error:
        name = ordered[0]["metadata"]["name"]
        raise NotYet("ReportDamaged", f"ConfigMap {name}: {error}") from error
