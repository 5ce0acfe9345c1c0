"""`spec.podOptions`: what a benchmark sets on its pods, in the words of Kubernetes.

One list for all pods, since a structural schema would repeat the whole object for each kind of pod.
What pods have by the operator, Kubernetes or the Solr Operator stays as it is: a user's value for
it is refused rather than dropped in silence.
"""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import ListMap, Matches, Model, Rule, at_most_one, exactly_one
from solrbench.api.v1alpha1.fields import (
    LABEL_NAME,
    Bool,
    FileName,
    Int,
    Labels,
    ObjectName,
    ObjectReference,
)
from solrbench.api.v1alpha1.pods import Affinity, Toleration, TopologySpread

KEY_PATTERN = f"([a-z0-9][-a-z0-9.]{{0,251}}[a-z0-9]/)?{LABEL_NAME}"
"""Key of a label or annotation, as stored definitions have it: a domain has two characters."""

# On every pod: autoscalers must not move what is measured.
UNDISTURBED = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
}

LABELS = (
    "app.kubernetes.io/component",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/name",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "solr-cloud",
    "technology",
)
"""Labels by which pods are found."""

LABEL_PREFIXES = (
    "apps.kubernetes.io/",
    "batch.kubernetes.io/",
    "solrbench.io/",
    "statefulset.kubernetes.io/",
)

ANNOTATION_PREFIXES = (
    "batch.kubernetes.io/",
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "seccomp.security.alpha.kubernetes.io/",
    "solr.apache.org/",
    "solrbench.io/",
)
"""Among them the annotations that weaken the security of a container."""

TOOL_VARIABLES = ("JOB_COMPLETION_INDEX", "PATH", "PYTHONHOME", "PYTHONPATH", "USER")
"""Variables of index and load pods, by their Job or their image."""

SOLR_VARIABLES = (
    "GC_TUNE",
    "POD_HOSTNAME",
    "POD_IP",
    "POD_NAME",
    "POD_NAMESPACE",
    "SOLR_HEAP",
    "SOLR_HOME",
    "SOLR_HOST",
    "SOLR_JAVA_MEM",
    "SOLR_LOG_LEVEL",
    "SOLR_NODE_PORT",
    "SOLR_OPTS",
    "SOLR_PORT",
    "SOLR_PORT_ADVERTISE",
    "SOLR_REQUESTLOG_ENABLED",
    "SOLR_STOP_WAIT",
)
"""Variables of Solr pods, by this operator or the Solr Operator."""

ZOOKEEPER_VARIABLES = ("SERVER_JVMFLAGS",)
"""Variables of ZooKeeper pods, beside those with a reserved prefix."""

_VARIABLES = (*TOOL_VARIABLES, *SOLR_VARIABLES, *ZOOKEEPER_VARIABLES)
VARIABLE_PREFIXES = ("SOLRBENCH_", "ZK_", "ZOO_")

SECRET_PODS = ("Index", "LoadMaster", "LoadWorker", "Export")
"""Components whose pods of ours may have Secrets mounted: of the target, a download, a bucket."""

LOADING_PREFIXES = (
    *("AWS_", "GCONV_", "GEVENT", "GLIBC_", "HOSTALIASES", "LD_", "LOCALDOMAIN", "MALLOC_"),
    *("OPENSSL_", "PYTHON", "RES_", "RESOLV_", "SSL_"),
)
"""Variables that load code into these pods, or choose whom they trust and connect to: by the names
of hosts, too (resolv.conf(5), hostname(7))."""


def _keys_are_valid(field: str) -> Rule:
    keys = f"self.{field}.all(key, key.matches(r'^(?:{KEY_PATTERN})$'))"
    return Rule(
        cel=f"!has(self.{field}) || {keys}",
        message=(
            f"{field} must have keys of letters, digits, '-', '_' and '.', with or without a"
            " domain and '/' before them, such as example.org/team"
        ),
    )


def _none_is_reserved(
    field: str, names: tuple[str, ...], prefixes: tuple[str, ...], key: str = "each"
) -> Rule:
    """Return the rule that a map's keys, or a list's items by their `key`, are not ours."""
    terms = [f"!({key} in {list(names)})", *(f"!{key}.startsWith('{each}')" for each in prefixes)]
    return Rule(
        cel=f"!has(self.{field}) || self.{field}.all(each, {' && '.join(terms)})",
        message=(
            f"{field} must not contain what the operator or Kubernetes sets:"
            f" {', '.join([*names, *(f'{each}*' for each in prefixes)])}"
        ),
    )


def _secrets_are_safe() -> Rule:
    """Return the rule that no code of a user's, and no proxy, comes beside a Secret by `env`."""
    # Programs read the names of proxies in any case.
    loading = f"(?:{'|'.join(LOADING_PREFIXES)}).*|.*_[Pp][Rr][Oo][Xx][Yy]"
    return Rule(
        cel=(
            f"!has(self.env) || !self.components.exists(each, each in {list(SECRET_PODS)})"
            f" || self.env.all(each, !each.name.matches(r'^(?:{loading})$'))"
        ),
        message=(
            f"env must not contain {', '.join(f'{each}*' for each in LOADING_PREFIXES)} or *_PROXY"
            f" for {', '.join(SECRET_PODS)}, whose pods may have Secrets: leave them out, or name"
            " other components; downloads have dataset.http.proxyUrl and dataset.http.tls"
        ),
    )


LABEL_RULES = (_keys_are_valid("labels"), _none_is_reserved("labels", LABELS, LABEL_PREFIXES))

RESERVED_RULES = (
    *LABEL_RULES,
    _keys_are_valid("annotations"),
    _none_is_reserved("annotations", tuple(UNDISTURBED), ANNOTATION_PREFIXES),
    _none_is_reserved("env", _VARIABLES, VARIABLE_PREFIXES, "each.name"),
    _secrets_are_safe(),
)


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
