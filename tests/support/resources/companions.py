"""Manifests of companions: a whole one, and what people with bad intentions try."""

import copy
from typing import Any

import yaml

from support.resources.small_resource import change

Body = dict[str, Any]

DEPLOYMENT: Body = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "proxy", "labels": {"app": "proxy"}},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "proxy"}},
        "template": {
            "metadata": {"labels": {"app": "proxy"}},
            "spec": {
                "containers": [
                    {
                        "name": "proxy",
                        "image": "registry.example.org/proxy:1",
                        "command": ["python3", "/etc/proxy/proxy.py"],
                        "args": ["--to", "$(SOLR_URL)", "--own", "$$(OWN)"],
                        "env": [
                            {"name": "OWN", "value": "$(WORKERS) of $(BENCHMARK)"},
                            {
                                "name": "SCRIPT",
                                "valueFrom": {
                                    "configMapKeyRef": {"name": "files", "key": "proxy.py"}
                                },
                            },
                        ],
                        "ports": [{"name": "http", "containerPort": 8080}],
                        "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
                        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
                        "volumeMounts": [
                            {"name": "files", "mountPath": "/etc/proxy", "readOnly": True},
                            {"name": "tmp", "mountPath": "/tmp"},
                        ],
                        "securityContext": {"readOnlyRootFilesystem": True},
                    }
                ],
                "volumes": [
                    {"name": "files", "configMap": {"name": "files"}},
                    {"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}},
                ],
            },
        },
    },
}
SERVICE: Body = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "proxy"},
    "spec": {"selector": {"app": "proxy"}, "ports": [{"port": 80, "targetPort": "http"}]},
}
FILES: Body = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "files"},
    "data": {"proxy.py": "to $(SOLR_HOSTS) by $(SERVICE_PROXY), $(date), $$(KEPT)"},
}
MANIFESTS = [DEPLOYMENT, SERVICE, FILES]
VALUES = {
    "BENCHMARK": "base",
    "NAMESPACE": "search",
    "COLLECTION": "base",
    "SOLR_URL": "http://base-solr-0.base-solr.search.svc:8983/solr",
    "SOLR_URLS": "http://a:8983/solr,http://b:8983/solr",
    "SOLR_HOSTS": "a:8983,b:8983",
    "SOLR_SERVICE": "base-solr.search.svc:8983",
}
WORKERS = {"WORKERS": "12"}

POD = "spec.template.spec"
CONTAINER = f"{POD}.containers.0"


def changed(body: Body, path: str, value: Any) -> Body:
    """Return a copy with another value at a path."""
    found = copy.deepcopy(body)
    change(found, path, value)
    return found


def text_of(*bodies: Any) -> str:
    """Return manifests as they stand in a ConfigMap."""
    return str(yaml.dump_all(bodies, Dumper=yaml.CSafeDumper))


REFUSED_FIELDS: dict[str, tuple[Body, str, Any, str]] = {
    "network of the node": (DEPLOYMENT, f"{POD}.hostNetwork", True, "spec.hostNetwork"),
    "processes of the node": (DEPLOYMENT, f"{POD}.hostPID", True, "spec.hostPID"),
    "memory of the node": (DEPLOYMENT, f"{POD}.hostIPC", True, "spec.hostIPC"),
    "users of the node": (DEPLOYMENT, f"{POD}.hostUsers", True, "spec.hostUsers"),
    "a node by name": (DEPLOYMENT, f"{POD}.nodeName", "a", "spec.nodeName"),
    "service account": (DEPLOYMENT, f"{POD}.serviceAccountName", "a", "spec.serviceAccountName"),
    "old service account": (DEPLOYMENT, f"{POD}.serviceAccount", "a", "spec.serviceAccount"),
    "token": (DEPLOYMENT, f"{POD}.automountServiceAccountToken", True, "automountServiceAccount"),
    "priority": (DEPLOYMENT, f"{POD}.priorityClassName", "a", "spec.priorityClassName"),
    "runtime": (DEPLOYMENT, f"{POD}.runtimeClassName", "a", "spec.runtimeClassName"),
    "aliases of hosts": (DEPLOYMENT, f"{POD}.hostAliases", [], "spec.hostAliases"),
    "DNS": (DEPLOYMENT, f"{POD}.dnsConfig", {}, "spec.dnsConfig"),
    "shared processes": (DEPLOYMENT, f"{POD}.shareProcessNamespace", True, "shareProcess"),
    "sysctls": (DEPLOYMENT, f"{POD}.securityContext", {"sysctls": []}, "securityContext.sysctls"),
    "root": (DEPLOYMENT, f"{POD}.securityContext", {"runAsUser": 0}, "securityContext.runAsUser"),
    "perhaps root": (DEPLOYMENT, f"{POD}.securityContext", {"runAsNonRoot": False}, "runAsNonRoot"),
    **{
        name: (DEPLOYMENT, f"{POD}.volumes.0", {"name": "files"} | source, words)
        for name, source, words in (
            ("path of the node", {"hostPath": {"path": "/"}}, "hostPath"),
            ("a Secret as files", {"secret": {"secretName": "a"}}, "volumes[0].secret"),
            ("a token as files", {"projected": {"sources": []}}, "volumes[0].projected"),
            ("a claim", {"persistentVolumeClaim": {"claimName": "a"}}, "persistentVolumeClaim"),
            ("a network volume", {"nfs": {"server": "a", "path": "/"}}, "volumes[0].nfs"),
            (
                "a foreign ConfigMap",
                {"configMap": {"name": "others"}},
                "ConfigMap others must be among the companions",
            ),
        )
    },
    "no such volume": (DEPLOYMENT, f"{POD}.volumes", [], "there is no volume files"),
    **{
        name: (DEPLOYMENT, f"{CONTAINER}.securityContext", context, words)
        for name, context, words in (
            ("privileged", {"privileged": True}, "privileged"),
            ("escalation", {"allowPrivilegeEscalation": True}, "allowPrivilegeEscalation"),
            ("capabilities", {"capabilities": {"add": ["NET_ADMIN"]}}, "capabilities.add"),
            ("no seccomp", {"seccompProfile": {"type": "Unconfined"}}, "seccompProfile.type"),
            ("proc mount", {"procMount": "Unmasked"}, "securityContext.procMount"),
        )
    },
    "port of the node": (
        DEPLOYMENT,
        f"{CONTAINER}.ports",
        [{"containerPort": 1, "hostPort": 1}],
        "ports[0].hostPort",
    ),
    "probe of another host": (
        DEPLOYMENT,
        f"{CONTAINER}.readinessProbe",
        {"httpGet": {"host": "169.254.169.254", "port": 80}},
        "httpGet.host",
    ),
    "hook": (DEPLOYMENT, f"{CONTAINER}.lifecycle", {}, "containers[0].lifecycle"),
    "device": (DEPLOYMENT, f"{CONTAINER}.volumeDevices", [], "containers[0].volumeDevices"),
    "all of a Secret": (
        DEPLOYMENT,
        f"{CONTAINER}.envFrom",
        [{"secretRef": {"name": "a"}}],
        "containers[0].envFrom",
    ),
    "a Secret": (
        DEPLOYMENT,
        f"{CONTAINER}.env.0",
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}},
        "env A must not come from a Secret",
    ),
    "ephemeral containers": (DEPLOYMENT, f"{POD}.ephemeralContainers", [], "ephemeralContainers"),
    "a host's GPU": (
        DEPLOYMENT,
        f"{CONTAINER}.resources",
        {"limits": {"example.org/gpu": "1"}},
        "resources.limits.example.org/gpu",
    ),
    "many pods": (DEPLOYMENT, "spec.replicas", 9, "spec.replicas"),
    "a label with blanks": (
        SERVICE,
        "metadata.labels",
        {"team": "search and more"},
        "metadata.labels.team: must be letters, digits,",
    ),
    "our label": (
        DEPLOYMENT,
        "spec.template.metadata.labels",
        {"solrbench.io/benchmark": "other"},
        "labels must not contain",
    ),
    "a label of our selectors": (
        DEPLOYMENT,
        "metadata.labels",
        {"app.kubernetes.io/component": "solr"},
        "labels must not contain",
    ),
    "annotations": (
        DEPLOYMENT,
        "spec.template.metadata.annotations",
        {"a": "b"},
        "metadata.annotations",
    ),
    "pods of others": (
        DEPLOYMENT,
        "spec.selector.matchLabels",
        {"app": "other"},
        "spec.selector.matchLabels must be among",
    ),
    "an expression": (
        DEPLOYMENT,
        "spec.selector.matchExpressions",
        [],
        "selector.matchExpressions",
    ),
    "another namespace": (DEPLOYMENT, "metadata.namespace", "kube-system", "metadata.namespace"),
    "another owner": (DEPLOYMENT, "metadata.ownerReferences", [], "metadata.ownerReferences"),
    "a finalizer": (DEPLOYMENT, "metadata.finalizers", ["a/b"], "metadata.finalizers"),
    "a name of ours": (DEPLOYMENT, "metadata.name", "solr", "must not be solr"),
    "a name of an upstream operator": (DEPLOYMENT, "metadata.name", "solrcloud-x", "must not be"),
    "a name with dots": (DEPLOYMENT, "metadata.name", "a.b", "metadata.name"),
    "a long name": (DEPLOYMENT, "metadata.name", "a" * 40, "longer than 63"),
    "an unknown value": (DEPLOYMENT, f"{CONTAINER}.args", ["$(PASSWORD)"], "$(PASSWORD) has no"),
    "status": (DEPLOYMENT, "status", {}, "status"),
    "an old version": (DEPLOYMENT, "apiVersion", "apps/v1beta1", "apiVersion"),
    "load balancer": (SERVICE, "spec.type", "LoadBalancer", "spec.type"),
    "port of every node": (SERVICE, "spec.type", "NodePort", "spec.type"),
    "name outside": (SERVICE, "spec.externalName", "example.org", "spec.externalName"),
    "address outside": (SERVICE, "spec.externalIPs", ["192.0.2.1"], "spec.externalIPs"),
    "address of the cluster": (SERVICE, "spec.clusterIP", "10.96.0.1", "spec.clusterIP"),
    "node port": (SERVICE, "spec.ports.0.nodePort", 30000, "ports[0].nodePort"),
    "pods of no Deployment": (SERVICE, "spec.selector", {"app": "other"}, "spec.selector must be"),
    "annotations of a Service": (SERVICE, "metadata.annotations", {}, "metadata.annotations"),
    "binary data": (FILES, "binaryData", {}, "binaryData"),
    "no text": (FILES, "data.number", 5, "data.number"),
}
"""Body, path, value, and what the refusal says."""

REFUSED_TEXTS: dict[str, tuple[str, str]] = {
    "a Secret": (text_of({"apiVersion": "v1", "kind": "Secret"}), "kind must be Deployment"),
    "a Pod": (text_of({"apiVersion": "v1", "kind": "Pod"}), "not Pod"),
    "rights": (text_of({"kind": "ClusterRoleBinding"}), "not ClusterRoleBinding"),
    "a list": (text_of({"apiVersion": "v1", "kind": "List", "items": [DEPLOYMENT]}), "not List"),
    "a kind of a list": (text_of({"kind": ["Deployment"]}), "kind must be"),
    "words": ("hello", "kind must be"),
    "no YAML": ("a: [", "no YAML"),
    "an empty number": ('a: !!int ""', "no YAML"),
    "a word for a truth": ("a: !!bool x", "no YAML"),
    "a word for a time": ("a: !!timestamp x", "no YAML"),
    "a Python object": ("!!python/object/apply:os.system [ls]", "no YAML"),
    "twice": (text_of(*MANIFESTS, SERVICE), "must differ"),
    "many": ("\n---\n".join([text_of(FILES)] * 25), "25 manifests, limit 24"),
    "large": (text_of(changed(FILES, "data.a", "x" * (256 << 10))), "bytes of manifests, limit"),
    "aliases": (
        "a: &a [x, x]\n"
        + "\n".join(f"{b}: &{b} [*{a}, *{a}]" for a, b in zip("abc", "bcd", strict=True)),
        "aliases must not be used",
    ),
    "a number to base 60": (f"kind: {'1:' * 60_000}1", "line 1: more than 100 digits"),
    "a number without a text": (f"kind: 0x{'f' * 5000}", "line 1: more than 100 digits"),
    "a number beyond floats": (f"a: {'1:' * 200}1.5", "line 1: more than 100 digits"),
    "depth": ("[" * 100_000, "levels of nesting"),
    "too many pods": (
        text_of(
            *(changed(changed(DEPLOYMENT, "metadata.name", n), "spec.replicas", 8) for n in "abc"),
            SERVICE,
            FILES,
        ),
        "24 pods in all, limit 16",
    ),
}
"""Text, and what the refusal says."""
