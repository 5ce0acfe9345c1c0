"""The pods of a benchmark: what the operator sets, and the options that a benchmark may set on any.

The schema refuses options that are the operator's own; where both meet, the operator's come last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.fields import ObjectReference
from solrbench.api.v1alpha1.pod_options import UNDISTURBED
from solrbench.api.v1alpha1.request_mix import Queries, Updates
from solrbench.contract import names
from solrbench.contract.load_plan import CA_FOLDER, CA_KEY, CREDENTIALS_FOLDER, PASSWORD, USERNAME
from solrbench.contract.pod_plans import EXIT_PERMANENT, pod_options
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    container_security,
    metadata,
    pull_secrets,
)

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
USER = 65532
"""The user of the operator's image."""


def pod_metadata(benchmark: SolrBenchmark, component: str, labels: dict[str, str]) -> Manifest:
    """Return labels and annotations of a pod that has these labels of ours."""
    options = pod_options(benchmark.spec, component)
    return {
        "labels": (options.labels or {}) | labels,
        "annotations": (options.annotations or {}) | UNDISTURBED,
    }


def pod_security(benchmark: SolrBenchmark, component: str, user: int | None) -> Manifest:
    """Return the pod's security context.

    User and groups are `user`, or with `None` those of the image, unless the benchmark says.
    """
    ids = {} if user is None else {"runAsUser": user, "runAsGroup": user, "fsGroup": user}
    given = pod_options(benchmark.spec, component).security_context
    if given is not None:
        # OpenShift refuses any ids but those of the namespace's range, which it sets itself.
        ids = {} if given.omit_ids else ids | given_ids(benchmark, component)
    return {
        "runAsNonRoot": True,
        **ids,
        # A change of the group of every file of a large index would delay each start of a pod.
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def given_ids(benchmark: SolrBenchmark, component: str) -> dict[str, int]:
    """Return the numeric user and groups that the benchmark gives, and nothing else."""
    given = pod_options(benchmark.spec, component).security_context
    return {} if given is None else plain(given.model_copy(update={"omit_ids": None}))


def pod_variables(
    benchmark: SolrBenchmark, component: str, ours: Sequence[Manifest] = ()
) -> list[Manifest]:
    """Return the variables of a container: ours, then those of the benchmark."""
    taken = {each["name"] for each in ours}
    given = pod_options(benchmark.spec, component).env or ()
    # Of two variables of one name the last would win, and apply refuses a list with both.
    return [*ours, *(plain(each) for each in given if each.name not in taken)]


def variables(values: Mapping[str, str | None]) -> list[Manifest]:
    """Return environment variables by name; one without a value is left out."""
    return [{"name": key, "value": value} for key, value in values.items() if value is not None]


def placement(benchmark: SolrBenchmark, component: str) -> Manifest:
    """Return where the pods of a component may run, and as whom."""
    options = pod_options(benchmark.spec, component)
    selector = {"matchLabels": names.selector(benchmark, component)}
    pod_fields: Manifest = {
        "affinity": _affinity(benchmark, component),
        "nodeSelector": dict(options.node_selector or {}),
        "tolerations": [plain(toleration) for toleration in options.tolerations or ()],
        "topologySpreadConstraints": [
            {"maxSkew": 1, **plain(constraint), "labelSelector": selector}
            for constraint in options.topology_spread_constraints or ()
        ],
        "priorityClassName": options.priority_class_name,
        "runtimeClassName": options.runtime_class_name,
        "serviceAccountName": options.service_account_name,
    }
    return {key: value for key, value in pod_fields.items() if value}


def _affinity(benchmark: SolrBenchmark, component: str) -> Manifest:
    """Return the benchmark's affinity; load and index pods prefer nodes without its Solr, too."""
    options = pod_options(benchmark.spec, component)
    given = {} if options.affinity is None else plain(options.affinity)
    if component in names.SERVERS:  # they may share a node with Solr as well as not
        return given
    # Load beside Solr takes its CPU, and the scheduler may put it there in one repeat only. It is
    # no requirement: a cluster of one node runs everything.
    term = {
        "labelSelector": {"matchLabels": names.selector(benchmark, names.SOLR)},
        "topologyKey": "kubernetes.io/hostname",
    }
    away = given.get("podAntiAffinity", {})
    preferred = [*away.get(PREFERRED, []), {"weight": 100, "podAffinityTerm": term}]
    return given | {"podAntiAffinity": away | {PREFERRED: preferred}}


def secret_volume(name: str, keys: Mapping[str, str], *, optional: bool = True) -> Manifest:
    """Return the source of a volume with some keys of a Secret, readable for the pod's group.

    A pod starts without optional ones as well, so that it can say what is missing; without others
    the kubelet only waits.
    """
    items = [{"key": key, "path": path} for key, path in keys.items()]
    source: Manifest = {"secretName": name, "items": items, "defaultMode": 0o440}
    return {"secret": source | ({"optional": True} if optional else {})}


@dataclass(frozen=True)
class PodBuilder:
    """A pod with one container, named as its component, and the volumes that this mounts."""

    benchmark: SolrBenchmark
    component: str
    volumes: list[Manifest] = field(default_factory=list)
    mounts: list[Manifest] = field(default_factory=list)

    def add_scratch(self, **folders: str) -> None:
        """Add empty folders by the names of their volumes: the root file system is read-only."""
        for name, folder in folders.items():
            self.add(name, folder, {"emptyDir": {}}, read_only=False)

    def add(self, name: str, folder: str, source: Manifest, *, read_only: bool = True) -> None:
        """Add a volume of this source, and mount it."""
        self.volumes.append({"name": name, **source})
        mount: Manifest = {"name": name, "mountPath": folder}
        self.mounts.append(mount | ({"readOnly": True} if read_only else {}))

    def add_plan(self, component: str, file: str) -> None:
        """Mount the ConfigMap of a component where its plan `file` is looked for."""
        name = names.child(self.benchmark, component)
        self.add("plan", file.rsplit("/", 1)[0], {"configMap": {"name": name}})

    def add_files(self, name: str, folder: str, source: Dataset | Queries | Updates) -> None:
        """Mount the ConfigMap or claim that `source` names, if it names one."""
        if source.config_map is not None:
            self.add(name, folder, {"configMap": {"name": source.config_map.name}})
        elif source.persistent_volume_claim is not None:
            self.add_claim(name, folder, source.persistent_volume_claim.claim_name)

    def add_claim(self, name: str, folder: str, claim: str) -> None:
        """Mount a claim that exists, read-only."""
        volume = {"persistentVolumeClaim": {"claimName": claim, "readOnly": True}}
        self.add(name, folder, volume)

    def add_target_secrets(self) -> None:
        """Mount what an existing target requires of its clients: only the keys that are named."""
        existing = self.benchmark.spec.target.existing
        if existing is None:
            return
        if existing.basic_auth is not None:
            keys = {USERNAME: USERNAME, PASSWORD: PASSWORD}
            source = secret_volume(existing.basic_auth.secret.name, keys, optional=False)
            self.add("credentials", CREDENTIALS_FOLDER, source)
        if existing.tls is not None:
            ca = existing.tls.ca_secret
            self.add("ca", CA_FOLDER, secret_volume(ca.name, {ca.key: CA_KEY}, optional=False))

    def build(
        self,
        container: Manifest,
        user: int,
        grace_seconds: int,
        image_pull_secrets: Sequence[ObjectReference],
    ) -> Manifest:
        """Return the spec of the pod; `container` has its image, resources and own variables."""
        found = pod_variables(self.benchmark, self.component, container.get("env", ()))
        whole = container | {
            "name": self.component,
            "securityContext": container_security(),
            "volumeMounts": self.mounts,
            **({"env": found} if found else {}),
        }
        return {
            **placement(self.benchmark, self.component),
            **pull_secrets(image_pull_secrets),
            "automountServiceAccountToken": False,
            # Services set variables such as SOLR_PORT, which start scripts read as settings.
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": grace_seconds,
            "securityContext": pod_security(self.benchmark, self.component, user),
            "containers": [whole],
            "volumes": self.volumes,
        }


def build_stateful_set(
    pod: PodBuilder, attempt: int, replicas: int, pod_spec: Manifest, **spec: object
) -> Manifest:
    """Return a StatefulSet whose pods all start at once, and may find each other before."""
    return _with_template(
        pod,
        attempt,
        pod_spec,
        apiVersion="apps/v1",
        kind="StatefulSet",
        spec={
            "serviceName": names.child(pod.benchmark, pod.component),
            "replicas": replicas,
            # In order, the times that all pods need to start would add up.
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": names.selector(pod.benchmark, pod.component)},
            **spec,
        },
    )


def build_job(
    pod: PodBuilder,
    attempt: int,
    image: OperatorImage,
    container: Manifest,
    grace_seconds: int,
    **spec: object,
) -> Manifest:
    """Return a Job whose pods run one command of the operator's image."""
    of_image = {"image": image.reference, "imagePullPolicy": image.pull_policy}
    references = [ObjectReference(name=name) for name in image.pull_secrets]
    pod_spec = pod.build(container | of_image, USER, grace_seconds, references)
    # The API server takes a policy for failures of pods only with this.
    pod_spec["restartPolicy"] = "Never"
    return _with_template(pod, attempt, pod_spec, apiVersion="batch/v1", kind="Job", spec=spec)


def _with_template(
    pod: PodBuilder, attempt: int, pod_spec: Manifest, *, spec: Manifest, **head: str
) -> Manifest:
    meta = metadata(pod.benchmark, pod.component, attempt)
    pod_meta = pod_metadata(pod.benchmark, pod.component, meta["labels"])
    template = {"metadata": pod_meta, "spec": pod_spec}
    return head | {"metadata": meta, "spec": spec | {"template": template}}


def pod_failures(component: str, retries: int) -> Manifest:
    """Return when the failure of a pod ends its Job: at once if no other pod can do better."""
    on_exit = {"containerName": component, "operator": "In", "values": [EXIT_PERMANENT]}
    return {
        "backoffLimit": retries,
        "podFailurePolicy": {
            "rules": [
                {"action": "FailJob", "onExitCodes": on_exit},
                # A drained or lost node is no failure of the command, and takes no retry.
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
            ]
        },
    }
