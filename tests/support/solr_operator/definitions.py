"""The CustomResourceDefinitions: the real ones where they are at hand, else small ones of ours.

The real ones are megabytes of other projects' files and not part of this repository; the double
refuses with them exactly what the real operators' API refuses.
"""

import os
from pathlib import Path
from typing import Any

import yaml

Body = dict[str, Any]

TEXT: Body = {"type": "string"}
NUMBER: Body = {"type": "integer"}
FLAG: Body = {"type": "boolean"}
QUANTITY: Body = {"x-kubernetes-int-or-string": True}
STANDARD: Body = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
"""A part of the core API, whose fields the API server checks when a pod is made of it."""

TEXTS: Body = {"type": "object", "additionalProperties": TEXT}


def part(required: tuple[str, ...] = (), /, **properties: Body) -> Body:
    """Return the schema of an object with these fields only."""
    body: Body = {"type": "object", "properties": properties}
    return body | ({"required": [*required]} if required else {})


def several(items: Body) -> Body:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


IMAGE = part(repository=TEXT, tag=TEXT, pullPolicy=TEXT, imagePullSecret=TEXT)
RECLAIM = {"type": "string", "enum": ["Retain", "Delete"]}
PLACEMENT: dict[str, Body] = {
    "affinity": STANDARD,
    "annotations": TEXTS,
    "labels": TEXTS,
    "nodeSelector": TEXTS,
    "resources": STANDARD,
    "serviceAccountName": TEXT,
    "terminationGracePeriodSeconds": NUMBER,
    "tolerations": several(STANDARD),
    "topologySpreadConstraints": several(STANDARD),
    "imagePullSecrets": several(STANDARD),
}
POD_OPTIONS = part(
    **PLACEMENT,
    containerSecurityContext=STANDARD,
    defaultInitContainerResources=STANDARD,
    defaultInitContainerSecurityContext=STANDARD,
    enableServiceLinks=FLAG,
    envVars=several(STANDARD),
    livenessProbe=STANDARD,
    podSecurityContext=STANDARD,
    priorityClassName=TEXT,
    readinessProbe=STANDARD,
    shareProcessNamespace=FLAG,
    startupProbe=STANDARD,
    volumes=several(part(("name",), name=TEXT, source=STANDARD, defaultContainerMount=STANDARD)),
)
STORAGE = part(
    ephemeral=part(emptyDir=STANDARD, hostPath=STANDARD),
    persistent=part(
        reclaimPolicy=RECLAIM,
        pvcTemplate=part(metadata=part(name=TEXT, labels=TEXTS, annotations=TEXTS), spec=STANDARD),
    ),
)
POD_POLICY = part(**PLACEMENT, env=several(STANDARD), securityContext=STANDARD)
ENSEMBLE: dict[str, Body] = {
    "replicas": {"type": "integer", "minimum": 1, "default": 3},
    "labels": TEXTS,
    "config": STANDARD,
    "probes": STANDARD,
    "maxUnavailableReplicas": NUMBER,
    "adminServerService": STANDARD,
    "clientService": STANDARD,
    "ephemeral": part(emptydirvolumesource=STANDARD),
    "persistence": part(reclaimPolicy=RECLAIM, spec=STANDARD, annotations=TEXTS),
}
CONNECTION = part(
    internalConnectionString=TEXT,
    externalConnectionString=TEXT,
    chroot=TEXT,
)
CLOUD = part(
    replicas=NUMBER,
    solrImage=IMAGE,
    busyBoxImage=IMAGE,
    solrJavaMem=TEXT,
    solrOpts=TEXT,
    solrGCTune=TEXT,
    solrLogLevel=TEXT,
    dataStorage=STORAGE,
    solrAddressability=part(podPort=NUMBER, commonServicePort=NUMBER, kubeDomain=TEXT),
    updateStrategy=part(
        method={"type": "string", "enum": ["Managed", "StatefulSet", "Manual"]},
        managed=part(maxPodsUnavailable=QUANTITY, maxShardReplicasUnavailable=QUANTITY),
    ),
    availability=part(podDisruptionBudget=part(("enabled",), enabled=FLAG, method=TEXT)),
    scaling=part(populatePodsOnScaleUp=FLAG, vacatePodsOnScaleDown=FLAG),
    customSolrKubeOptions=part(
        podOptions=POD_OPTIONS,
        statefulSetOptions=part(labels=TEXTS, annotations=TEXTS, podManagementPolicy=TEXT),
    ),
    zookeeperRef=part(
        connectionInfo=CONNECTION,
        provided=part(**ENSEMBLE, image=IMAGE, chroot=TEXT, zookeeperPodPolicy=POD_POLICY),
    ),
)
NODE = part(
    name=TEXT,
    nodeName=TEXT,
    internalAddress=TEXT,
    ready=FLAG,
    scheduledForDeletion=FLAG,
    specUpToDate=FLAG,
    version=TEXT,
)
CLOUD_STATUS = part(
    solrNodes=several(NODE),
    replicas=NUMBER,
    podSelector=TEXT,
    readyReplicas=NUMBER,
    upToDateNodes=NUMBER,
    version=TEXT,
    targetVersion=TEXT,
    internalCommonAddress=TEXT,
    zookeeperConnectionInfo=CONNECTION,
)
CLUSTER = part(**ENSEMBLE, image=IMAGE, pod=POD_POLICY, storageType=TEXT)
CLUSTER_STATUS = part(
    replicas=NUMBER,
    readyReplicas=NUMBER,
    members=part(ready=several(TEXT), unready=several(TEXT)),
    conditions=several(part(type=TEXT, status=TEXT)),
    internalClientEndpoint=TEXT,
    externalClientEndpoint=TEXT,
)


def build_minimal_definitions() -> list[Body]:
    """Return the definitions of SolrCloud and ZookeeperCluster."""
    return [
        _definition("solr.apache.org", "SolrCloud", CLOUD, CLOUD_STATUS),
        _definition("zookeeper.pravega.io", "ZookeeperCluster", CLUSTER, CLUSTER_STATUS),
    ]


def _definition(group: str, kind: str, spec: Body, status: Body) -> Body:
    singular = kind.lower()
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{singular}s.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": f"{singular}s", "singular": singular},
            "versions": [
                {
                    "name": "v1beta1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": part(spec=spec, status=status)},
                }
            ],
        },
    }


VARIABLE = "SOLRBENCH_CRDS"
"""Names a folder of real definitions, as for the contract tests."""

SOLR_VERSIONS = ("v0.9.1", "v0.10.0-prerelease")
ZOOKEEPER_FILE = "zookeeperclusters-v0.2.15.yaml"


def real_folder() -> Path | None:
    """Return the folder of the real definitions, or None where there is none."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None


def load_definitions(version: str = SOLR_VERSIONS[-1]) -> list[Body]:
    """Return the definitions of SolrCloud, at a version of its operator, and ZookeeperCluster."""
    folder = real_folder()
    if folder is None:
        return build_minimal_definitions()
    files = (f"solrclouds-{version}.yaml", ZOOKEEPER_FILE)
    return [yaml.load((folder / file).read_text("utf-8"), yaml.CSafeLoader) for file in files]
