"""Every name and label of every object, in one place.

Names are deterministic: a step run that was cut short finds its own children again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from solrbench.api.identity import GROUP

if TYPE_CHECKING:
    from datetime import datetime

    # Commands that only need a label start without the models.
    from solrbench.api.v1alpha1 import SolrBenchmark
    from solrbench.contract.step_runs import SharedTarget

MANAGER = "solrbench-operator"
"""Field manager of server-side apply, and value of `app.kubernetes.io/managed-by`."""

LABEL_BENCHMARK = f"{GROUP}/benchmark"
LABEL_COMPONENT = "app.kubernetes.io/component"
LABEL_ATTEMPT = f"{GROUP}/attempt"
LABEL_STEP_RUN = f"{GROUP}/step-run"
LABEL_COMPANION = f"{GROUP}/companion"
"""Name of the Deployment among the companions that a pod belongs to."""
LABEL_SWEEP = f"{GROUP}/sweep"
LABEL_POINT = f"{GROUP}/point"
FINALIZER = f"{GROUP}/finalizer"
ANNOTATION_RELEASED = f"{GROUP}/released"
"""Set when the operator's release is deleted: what is left on an existing Solr stays there."""

SOLR = "solr"
SOLR_COMMON = "solr-common"
"""Name of the Service over all Solr nodes; its component is `SOLR`."""
ZOOKEEPER = "zookeeper"
INDEX = "index"
LOAD_MASTER = "load-master"
LOAD_WORKER = "load-worker"
COMPANION = "companion"
REPORT = "report"
EXPORT = "export"
COMPONENTS = (SOLR, ZOOKEEPER, INDEX, LOAD_MASTER, LOAD_WORKER, COMPANION, REPORT, EXPORT)
NODES = (SOLR, ZOOKEEPER)
"""What a target consists of that points of a sweep may share."""
SERVERS = (*NODES, COMPANION)
"""What is made anew with each attempt of the target."""

SOLR_PORT = 8983
ZOOKEEPER_PORT = 2181

AGENT = "solrbench-agent"
"""Name of the container that reads the control group of its pod."""
AGENT_PORT = 9101
AGENT_TOKEN = "SOLRBENCH_AGENT_TOKEN"  # noqa: S105 - name of a variable
"""What it reads its token from (`net.token`)."""
AGENT_RECORDS = "--flight-recordings"
"""Argument with which it makes flight recordings of its JVM on request."""


def target(benchmark: SolrBenchmark) -> str:
    """Return the name that the objects of the target begin with: the benchmark's, unless shared."""
    shared = _shared_target(benchmark)
    return benchmark.metadata.name if shared is None else shared.name


def _owner(benchmark: SolrBenchmark, component: str) -> str:
    is_of_target = component in (*NODES, SOLR_COMMON)
    return target(benchmark) if is_of_target else benchmark.metadata.name


def child(benchmark: SolrBenchmark, component: str) -> str:
    """Return the name of the one child object of a kind that serves `component`."""
    return f"{_owner(benchmark, component)}-{component}"


def companion(benchmark_name: str, name: str) -> str:
    """Return the name of the object that a manifest of the companions calls `name`."""
    return f"{benchmark_name}-{name}"


def selector(benchmark: SolrBenchmark, component: str) -> dict[str, str]:
    """Return the labels that pick the pods of one component."""
    return {LABEL_BENCHMARK: _owner(benchmark, component), LABEL_COMPONENT: component}


def label_selector(labels: Mapping[str, str | Sequence[str]]) -> str:
    """Return the text of a selector that demands all of these labels, with one of the values."""
    return ",".join(
        f"{key}={value}" if isinstance(value, str) else f"{key} in ({','.join(value)})"
        for key, value in labels.items()
    )


def labels(benchmark: SolrBenchmark, component: str, attempt: int) -> dict[str, str]:
    """Return the labels of a child object."""
    return {
        "app.kubernetes.io/name": "solrbench",
        "app.kubernetes.io/instance": _owner(benchmark, component),
        "app.kubernetes.io/managed-by": MANAGER,
        LABEL_ATTEMPT: str(attempt),
        **selector(benchmark, component),
    }


def collection(benchmark: SolrBenchmark) -> str:
    """Return the name of the collection: the benchmark's own, unless one of the user's is read."""
    existing = benchmark.spec.target.existing
    used = existing.collection_name if existing is not None else None
    return used or target(benchmark)


def config_set_prefix(benchmark: SolrBenchmark) -> str:
    """Return how config sets begin by which collections of one benchmark differ."""
    shared = _shared_target(benchmark)
    return f"solrbench-{benchmark.metadata.uid if shared is None else shared.name}-"


def config_set(benchmark: SolrBenchmark, attempt: int) -> str:
    """Return the name of the config set.

    Where others have collections too, it says whose a collection is, and of which attempt; where
    each repeat has its own data, of which repeat; on a shared target, with which data.
    """
    from solrbench.api.v1alpha1.repeats import RepeatStart  # noqa: PLC0415  labels need none

    fresh_data = benchmark.spec.load.repeats.start_on is RepeatStart.FRESH_DATA
    is_shared = _shared_target(benchmark) is not None
    if benchmark.spec.target.existing is None and not fresh_data and not is_shared:
        return benchmark.metadata.name
    return f"{config_set_prefix(benchmark)}{attempt}"


def restore_request(benchmark: SolrBenchmark, started: datetime | None, attempt: int) -> str:
    """Return the id of the request to Solr that restores the backup for an attempt of the data.

    `started` is `status.startTime`: an existing Solr still knows the request of a run before
    `spec.suspend`, whose collection is gone.
    """
    second = 0 if started is None else int(started.timestamp())
    return f"{config_set_prefix(benchmark)}restore-{second:x}-{attempt}"


def solr_operator_stateful_set(benchmark: SolrBenchmark) -> str:
    """Return the name of the StatefulSet that the Solr Operator makes of a SolrCloud.

    The SolrCloud itself has the benchmark's name. The Solr Operator adds `-headless` for the
    Service of the nodes and `-zookeeper` for a ZookeeperCluster (v0.9.1 and v0.10.0).
    """
    return f"{target(benchmark)}-solrcloud"


def provided_zookeeper(benchmark: SolrBenchmark) -> str:
    """Return the name of the ZookeeperCluster that the Solr Operator makes."""
    return f"{solr_operator_stateful_set(benchmark)}-zookeeper"


def report(benchmark: SolrBenchmark, step_run_id: str, sha256: str, chunk: int) -> str:
    """Return the name of a report ConfigMap.

    A document that is extended gets other names: written over, chunk by chunk, neither the old nor
    the new one would be whole if the operator is killed between two chunks.
    """
    return f"{benchmark.metadata.name}-report-{step_run_id}-{sha256[:8]}-{chunk}"


def environment(benchmark: SolrBenchmark) -> str:
    """Return the name of the ConfigMap that records what a benchmark ran on."""
    return f"{benchmark.metadata.name}-report-environment"


def unfinished(benchmark: SolrBenchmark) -> str:
    """Return the name of the ConfigMap with the step run under way as far as it is measured."""
    return f"{benchmark.metadata.name}-report-unfinished"


def evidence(benchmark: SolrBenchmark) -> str:
    """Return the name of the ConfigMap with logs and events of the failures of a benchmark."""
    return f"{benchmark.metadata.name}-report-evidence"


def _shared_target(benchmark: SolrBenchmark) -> SharedTarget | None:
    from solrbench.contract.step_runs import shared_target  # noqa: PLC0415  labels need none

    return shared_target(benchmark)
