"""`spec.podOptions`: what a benchmark sets on its pods, in the words of Kubernetes.

One list for all pods, since a structural schema would repeat the whole object for each kind of pod.
"""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import ListMap, Matches, Model, at_most_one, exactly_one
from solrbench.api.v1alpha1.fields import Bool, FileName, Int, Labels, ObjectName, ObjectReference
from solrbench.api.v1alpha1.pod.affinity import Affinity
from solrbench.api.v1alpha1.pod.pods import Toleration, TopologySpread
from solrbench.api.v1alpha1.reserved import RESERVED_RULES

Annotations = Annotated[
    dict[
        Annotated[str, StringConstraints(max_length=317)],
        Annotated[str, StringConstraints(max_length=2048)],
    ],
    Field(max_length=32),
]

EnvName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=128),
    Matches(
        "[A-Za-z_][A-Za-z0-9_]*",
        "must be letters, digits and '_', and must not start with a digit, such as JAVA_TOOL",
    ),
]
UserId = Annotated[Int, Field(ge=1, le=2**31 - 1)]
"""A numeric user or group; never root."""


class KeyReference(ObjectReference):
    """A key of another object in the benchmark's namespace."""

    key: FileName
    """`key` is the key."""


class EnvVarSource(Model):
    """Where the value of an environment variable comes from."""

    config_map_key_ref: KeyReference | None = None
    """`configMapKeyRef` is a key of a ConfigMap."""
    secret_key_ref: KeyReference | None = None
    """`secretKeyRef` is a key of a Secret; the operator's settings must allow it
    (`env.valueFrom.secretKeyRef`)."""

    rules: ClassVar = (exactly_one("configMapKeyRef", "secretKeyRef"),)


class EnvVar(Model):
    """An environment variable."""

    name: EnvName
    """`name` is the name of the variable."""
    value: Annotated[str, StringConstraints(max_length=2048)] | None = None
    """`value` is its value. It is readable with the benchmark, so it is no place for a password."""
    value_from: EnvVarSource | None = None
    """`valueFrom` takes its value from another object."""

    rules: ClassVar = (exactly_one("value", "valueFrom"),)


class PodSecurityContext(Model):
    """Numeric user and groups of a pod. Everything else of its security is fixed."""

    run_as_user: UserId | None = None
    """`runAsUser` is the user of the processes; that of the image when absent."""
    run_as_group: UserId | None = None
    """`runAsGroup` is their group; that of the image when absent."""
    fs_group: UserId | None = None
    """`fsGroup` is the group that owns the volumes; that of the image when absent."""
    omit_ids: Bool | None = None
    """`omitIds` leaves all three out while `true`, so that the cluster assigns them, as OpenShift
    does."""

    rules: ClassVar = (
        at_most_one("runAsUser", "omitIds"),
        at_most_one("runAsGroup", "omitIds"),
        at_most_one("fsGroup", "omitIds"),
    )


class PodComponent(StrEnum):
    """A kind of pod of a benchmark."""

    SOLR = "Solr"
    ZOOKEEPER = "ZooKeeper"
    INDEX = "Index"
    LOAD_MASTER = "LoadMaster"
    LOAD_WORKER = "LoadWorker"
    COMPANION = "Companion"
    EXPORT = "Export"


class PodOptions(Model):
    """Options of some pods of the benchmark. The operator's settings say which may be set."""

    components: Annotated[list[PodComponent], Field(min_length=1, max_length=7)] = list(
        PodComponent
    )
    """`components` are the kinds of pods that the options are for."""
    labels: Labels | None = None
    """`labels` are further labels of the pods."""
    annotations: Annotations | None = None
    """`annotations` are further annotations of the pods, such as those that keep sidecars out."""
    node_selector: Labels | None = None
    """`nodeSelector` are the labels that a Kubernetes node must have."""
    affinity: Affinity | None = None
    """`affinity` controls on which nodes, and near which pods, the pods run."""
    tolerations: Annotated[list[Toleration], Field(max_length=16)] | None = None
    """`tolerations` are the tolerations of the pods."""
    topology_spread_constraints: Annotated[list[TopologySpread], Field(max_length=4)] | None = None
    """`topologySpreadConstraints` control how the pods of each kind are spread over the cluster."""
    priority_class_name: ObjectName | None = None
    """`priorityClassName` is the PriorityClass of the pods."""
    runtime_class_name: ObjectName | None = None
    """`runtimeClassName` is the RuntimeClass of the pods."""
    service_account_name: ObjectName | None = None
    """`serviceAccountName` is the ServiceAccount of the pods. It lends rights, so it is not allowed
    by default. Its token is mounted only in pods that the Solr Operator and the ZooKeeper operator
    make."""
    env: Annotated[list[EnvVar], Field(max_length=32), ListMap("name")] | None = None
    """`env` are further environment variables of the container."""
    security_context: PodSecurityContext | None = None
    """`securityContext` are the numeric user and groups of the pods."""

    rules: ClassVar = RESERVED_RULES
