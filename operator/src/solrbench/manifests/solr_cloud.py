"""The SolrCloud resource of the Apache Solr Operator (`solr.apache.org/v1beta1`).

Written for the definitions of v0.9.1 and v0.10.0. The Solr Operator copies the labels of the
SolrCloud to everything it makes of it, where they win over the labels of `podOptions`; so the
labels of the resource are those that its pods must have.
"""

from collections.abc import Set as AbstractSet

from solrbench.api.quantities import heap_mebibytes
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import Image, SolrCloud, ZooKeeperImage, ZooKeeperMode
from solrbench.contract import names
from solrbench.contract.endpoints import ZooKeeperPath
from solrbench.manifests.common import (
    Manifest,
    container_security,
    metadata,
    pull_secrets,
    resources,
)
from solrbench.manifests.pods import (
    given_ids,
    placement,
    pod_metadata,
    pod_security,
    pod_variables,
    variables,
)
from solrbench.manifests.solr import LOG_LEVEL, PROBE_TIMINGS, QUIET, USER, claim_spec, empty_dir

API_VERSION = "solr.apache.org/v1beta1"
KIND = "SolrCloud"
POD_OPTIONS = ("spec", "customSolrKubeOptions", "podOptions")
"""Where the schema holds what depends on the version of the Solr Operator."""

GRACE_SECONDS = 30
PROVIDED_GRACE_SECONDS = 5
"""A member waits in its preStop hook until its clients are gone, 30 s at most: Solr's nodes, which
end at the same time. What it holds ends with the benchmark, so nothing is worth that time."""
INIT_REQUESTS = {"cpu": "100m", "memory": "256Mi"}
INIT_MEMORY = "512Mi"
"""For the init containers, one of which is a whole JVM that makes the chroot; the Solr
Operator's own limit of 0.4 cores makes it slow. Where a quota demands a limit, it is Solr's."""
MAX_ZOOKEEPER_CONNECTIONS = 1000
"""From one address; the ZooKeeper operator takes 0, ZooKeeper's word for no limit, for unset."""


def build_solr_cloud(
    benchmark: SolrBenchmark,
    solr: SolrCloud,
    attempt: int,
    state: ZooKeeperPath,
    known_options: AbstractSet[str],
) -> Manifest:
    """Return the SolrCloud resource; of `podOptions` it has only fields that are known there."""
    meta = metadata(benchmark, names.SOLR, attempt, names.target(benchmark))
    heap = heap_mebibytes(solr.heap)
    java = {
        # Both alike: a heap that grows under load would be part of what is measured.
        "solrJavaMem": f"-Xms{heap}m -Xmx{heap}m",
        # Any value replaces the whole set of options that bin/solr has for G1.
        "solrGCTune": solr.gc_tune,
        "solrOpts": solr.solr_opts,
        "solrLogLevel": LOG_LEVEL,
    }
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": meta,
        "spec": {
            "replicas": solr.nodes,
            "solrImage": _image(solr.image),
            # It only copies a file, which Solr's image can do too: one image less to have.
            "busyBoxImage": _image(solr.image),
            **{key: value for key, value in java.items() if value is not None},
            "dataStorage": _storage(solr, meta["labels"]),
            "zookeeperRef": _zookeeper(benchmark, solr, attempt, state),
            # Nothing is changed in place, and no node is restarted under load, not even by a
            # Solr Operator of a new version.
            "updateStrategy": {"method": "Manual"},
            # Ours lets none be evicted, and a pod with two budgets cannot be drained at all.
            "availability": {"podDisruptionBudget": {"enabled": False}},
            "scaling": {"vacatePodsOnScaleDown": False, "populatePodsOnScaleUp": False},
            "customSolrKubeOptions": {
                "statefulSetOptions": {"podManagementPolicy": "Parallel"},
                "podOptions": _pod_options(benchmark, solr, meta["labels"], known_options),
            },
        },
    }


def _image(image: Image) -> Manifest:
    return {"repository": image.repository, "tag": image.tag, "pullPolicy": image.pull_policy.value}


def _storage(solr: SolrCloud, labels: dict[str, str]) -> Manifest:
    if solr.storage.persistent is None:
        return {"ephemeral": {"emptyDir": empty_dir(solr)}}
    template = {"metadata": {"labels": labels}, "spec": claim_spec(solr.storage.persistent)}
    # By default the Solr Operator retains claims: the next attempt would find this index.
    return {"persistent": {"reclaimPolicy": "Delete", "pvcTemplate": template}}


def _pod_options(
    benchmark: SolrBenchmark,
    solr: SolrCloud,
    labels: dict[str, str],
    known_options: AbstractSet[str],
) -> Manifest:
    # A structural schema drops unknown fields, and server-side apply refuses them.
    of_newer_versions = {
        "defaultInitContainerSecurityContext": container_security(),
        "enableServiceLinks": False,
    }
    # The image writes logs and its process id below /var/solr, not only in the data folder.
    security = container_security() | {"readOnlyRootFilesystem": False}
    return {
        **placement(benchmark, names.SOLR),
        **pod_metadata(benchmark, names.SOLR, labels),
        **pull_secrets(solr.image_pull_secrets),
        **PROBE_TIMINGS,
        "envVars": pod_variables(benchmark, names.SOLR, variables(QUIET)),
        "resources": resources(solr.resources),
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "podSecurityContext": pod_security(benchmark, names.SOLR, USER),
        "containerSecurityContext": security,
        "defaultInitContainerResources": {
            "requests": INIT_REQUESTS,
            "limits": plain(solr.resources.limits) | {"memory": INIT_MEMORY},
        },
        **{key: value for key, value in of_newer_versions.items() if key in known_options},
    }


def _zookeeper(
    benchmark: SolrBenchmark, solr: SolrCloud, attempt: int, state: ZooKeeperPath
) -> Manifest:
    if solr.zookeeper.mode is not ZooKeeperMode.PROVIDED:
        connection = {"internalConnectionString": state.servers, "chroot": state.chroot}
        return {"connectionInfo": connection}
    zookeeper, labels = solr.zookeeper, names.labels(benchmark, names.ZOOKEEPER, attempt)
    pod_meta = pod_metadata(benchmark, names.ZOOKEEPER, labels)
    ids = given_ids(benchmark, names.ZOOKEEPER)
    heap = heap_mebibytes(zookeeper.heap)
    environment = {"ZK_SERVER_HEAP": str(heap), "SERVER_JVMFLAGS": f"-Xms{heap}m"}
    provided: Manifest = {
        "replicas": zookeeper.replicas,
        "chroot": state.chroot,
        "ephemeral": {"emptydirvolumesource": {}},  # the definition spells it in lower case
        "config": {"maxClientCnxns": MAX_ZOOKEEPER_CONNECTIONS},
        "labels": pod_meta["labels"],
        "zookeeperPodPolicy": {
            **placement(benchmark, names.ZOOKEEPER),
            **pull_secrets(solr.image_pull_secrets),
            **pod_meta,
            "env": pod_variables(benchmark, names.ZOOKEEPER, variables(environment)),
            "resources": resources(zookeeper.resources),
            "terminationGracePeriodSeconds": PROVIDED_GRACE_SECONDS,
            **({"securityContext": ids} if ids else {}),
        },
    }
    # The default is the official image; the ZooKeeper operator needs scripts of its own image.
    if zookeeper.image.repository != ZooKeeperImage().repository:
        provided["image"] = _image(zookeeper.image)
    return {"provided": provided}
