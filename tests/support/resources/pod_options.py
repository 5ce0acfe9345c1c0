"""Pod options of benchmarks: one with everything, and what is refused."""

from typing import Any

from solrbench.api.v1alpha1.pod_options import LOADING_PREFIXES
from support.resources.bad.rows import NOT_A_CHOICE, TOO_FEW, TOO_LONG, TOO_MANY, TOO_SMALL, bad
from support.resources.small_resource import SOLR, Changes

OPTIONS = "spec.podOptions"
FIRST = f"{OPTIONS}[0]"
ALL_COMPONENTS = ["Solr", "ZooKeeper", "Index", "LoadMaster", "LoadWorker", "Companion", "Export"]

ZONE = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a", "b"]}
TERM = {"labelSelector": {"matchLabels": {"app": "noisy"}}, "topologyKey": "kubernetes.io/hostname"}
AFFINITY: dict[str, Any] = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [ZONE]}]
        },
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 5,
                "preference": {"matchExpressions": [{"key": "spot", "operator": "DoesNotExist"}]},
            }
        ],
    },
    "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]},
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [TERM],
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 100,
                "podAffinityTerm": {
                    "labelSelector": {
                        "matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]
                    },
                    "topologyKey": "topology.kubernetes.io/zone",
                },
            }
        ],
    },
}
EVERY_OPTION: dict[str, Any] = {
    "labels": {"team": "search", "example.org/cost-centre": "7"},
    "annotations": {"sidecar.istio.io/inject": "false", "linkerd.io/inject": "disabled"},
    "nodeSelector": {"kubernetes.io/arch": "arm64"},
    "affinity": AFFINITY,
    "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "bench"}],
    "topologySpreadConstraints": [
        {"topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}
    ],
    "priorityClassName": "high",
    "runtimeClassName": "kata",
    "serviceAccountName": "bench",
    "env": [
        {"name": "TZ", "value": "UTC"},
        {"name": "FROM_MAP", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "a"}}},
        {"name": "FROM_SECRET", "valueFrom": {"secretKeyRef": {"name": "login", "key": "b"}}},
    ],
    "securityContext": {"runAsUser": 10_001, "runAsGroup": 10_002, "fsGroup": 10_003},
}


def with_options(*entries: dict[str, Any]) -> Changes:
    return {OPTIONS: list(entries)}


def _refused(name: str, field: str, message: str | tuple[str, str], **options: Any) -> Any:
    return bad(f"pod options with {name}", with_options(options), f"{FIRST}{field}", message)


KEYS = "must have keys of letters, digits, '-', '_' and '.'"
OURS = "must not contain what the operator or Kubernetes sets"
ONE_VALUE = "must set exactly one of value, valueFrom"
VALUES_GO = "must set values when operator is not Exists or DoesNotExist, and only then"


def _node(**requirement: Any) -> dict[str, Any]:
    required = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


EXPRESSION = (
    ".affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    ".nodeSelectorTerms[0].matchExpressions[0]"
)

POD_OPTIONS = [
    _refused("a component of no benchmark", ".components[0]", NOT_A_CHOICE, components=["Pod"]),
    _refused("no component", ".components", TOO_FEW, components=[]),
    bad("9 entries of pod options", with_options(*[{}] * 9), OPTIONS, TOO_MANY),
    *(
        _refused(f"the label {key}", "", f"labels {OURS}", labels={key: "x"})
        for key in ("solrbench.io/benchmark", "app.kubernetes.io/component", "job-name")
    ),
    *(
        _refused(f"the annotation {key}", "", f"annotations {OURS}", annotations={key: "x"})
        for key in (
            "cluster-autoscaler.kubernetes.io/safe-to-evict",
            "container.apparmor.security.beta.kubernetes.io/solr",
            "solrbench.io/target",
        )
    ),
    *(
        _refused(f"the variable {name}", "", f"env {OURS}", env=[{"name": name, "value": "x"}])
        for name in ("SOLR_HEAP", "ZK_HOST", "ZOO_MY_ID", "SOLRBENCH_IMAGE", "PATH")
    ),
    *(
        _refused(
            f"the variable {name} beside Secrets",
            "",
            f"must not contain {', '.join(f'{each}*' for each in LOADING_PREFIXES)}",
            env=[{"name": "TZ", "value": "UTC"}, {"name": name, "value": "x"}],
            **({} if component is None else {"components": ["Solr", component]}),
        )
        for name, component in (
            ("LD_PRELOAD", None),
            ("LD_AUDIT", "Index"),
            ("PYTHONPYCACHEPREFIX", "LoadMaster"),
            ("SSL_CERT_FILE", "LoadWorker"),
            ("OPENSSL_CONF", "Export"),
            ("MALLOC_CONF", "Export"),
            ("GCONV_PATH", "Index"),
            ("GLIBC_TUNABLES", "Index"),
            ("AWS_ENDPOINT_URL", "Export"),
            ("LOCALDOMAIN", "Index"),
            ("RES_OPTIONS", "Index"),
            ("RESOLV_HOST_CONF", "Export"),
            ("HOSTALIASES", "Export"),
            ("GEVENT_RESOLVER", "LoadWorker"),
            ("HTTPS_PROXY", "Index"),
            ("no_proxy", "Export"),
            ("All_Proxy", "LoadWorker"),
        )
    ),
    _refused("a label of spaces", "", f"labels {KEYS}", labels={"my team": "x"}),
    _refused("an annotation of two domains", "", f"annotations {KEYS}", annotations={"a/b/c": ""}),
    _refused("a long value of a label", ".labels", TOO_LONG, labels={"a": "x" * 64}),
    _refused(
        "33 labels",
        ".labels",
        ("must have at most", "at most"),
        labels={f"l{i}": "" for i in range(33)},
    ),
    _refused("a variable twice", ".env", "Duplicate value", env=[{"name": "A", "value": ""}] * 2),
    _refused("a variable without value", ".env[0]", ONE_VALUE, env=[{"name": "A"}]),
    _refused(
        "a variable of a dash",
        ".env[0].name",
        "must be letters, digits and '_'",
        env=[{"name": "A-B", "value": ""}],
    ),
    _refused("root", ".securityContext.runAsUser", TOO_SMALL, securityContext={"runAsUser": 0}),
    _refused(
        "ids that are given and left out",
        ".securityContext",
        "must not set more than one of runAsUser, omitIds",
        securityContext={"runAsUser": 5, "omitIds": True},
    ),
    _refused(
        "node labels without values", EXPRESSION, VALUES_GO, affinity=_node(key="a", operator="In")
    ),
    _refused(
        "node labels with values of nothing",
        EXPRESSION,
        VALUES_GO,
        affinity=_node(key="a", operator="Exists", values=["b"]),
    ),
    bad(
        "a RuntimeClass in a SolrCloud",
        with_options({"runtimeClassName": "kata"}),
        "spec",
        "podOptions must not set runtimeClassName for Solr with provisioner SolrOperator",
    ),
    bad(
        "a PriorityClass in a ZookeeperCluster",
        {f"{SOLR}.zookeeper": {"mode": "Provided"}} | with_options({"priorityClassName": "high"}),
        "spec",
        "podOptions must not set priorityClassName or runtimeClassName for ZooKeeper",
    ),
]

GOOD_POD_OPTIONS: dict[str, Changes] = {
    "every pod option": with_options(EVERY_OPTION) | {f"{SOLR}.provisioner": "StatefulSet"},
    "a RuntimeClass beside a SolrCloud": with_options(
        {"components": ["Index", "LoadMaster", "LoadWorker"], "runtimeClassName": "kata"}
    ),
    "a PriorityClass beside a ZookeeperCluster": with_options(
        {"components": ["Solr"], "priorityClassName": "high"}
    )
    | {f"{SOLR}.zookeeper": {"mode": "Provided"}},
    "variables that load code, where no Secrets are": with_options(
        {
            "components": ["Solr", "ZooKeeper", "Companion"],
            "env": [{"name": name, "value": "x"} for name in ("LD_PRELOAD", "https_proxy")],
        }
    ),
    "variables that only look like those that load code": with_options(
        {"env": [{"name": name, "value": "x"} for name in ("MY_LD_X", "PROXY", "A_PROXY_B")]}
    ),
    "8 entries of pod options": with_options(*[{"securityContext": {"omitIds": True}}] * 8),
    "resources of the master": {
        "spec.load.master": {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}
    },
}
