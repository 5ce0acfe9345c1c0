"""What companions may be: Deployments, Services, ConfigMaps and their pods, without any rights.

A field that has no place in these models is refused by its name. The operator adds what Pod
Security "restricted" asks for: a manifest may repeat that, and may not weaken it. References lead
to objects of the bundle, or to those that the spec allows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from solrbench.api.rules import ListMap, Matches, Model, exactly_one
from solrbench.api.v1alpha1.fields import (
    LABEL_NAME,
    Bool,
    FileName,
    Int,
    Labels,
    ObjectReference,
    ShortName,
)
from solrbench.api.v1alpha1.pod_options import LABEL_RULES, EnvVar, UserId
from solrbench.api.v1alpha1.pods import EphemeralStorage, Resources

MAX_REPLICAS = 8
"""Of one Deployment."""


def _number(given: Any) -> Any:
    # As `$(NAME)` leaves it.
    return int(given) if isinstance(given, str) and given.isascii() and given.isdigit() else given


Text = Annotated[str, StringConstraints(min_length=1, max_length=4096)]
Arguments = Annotated[
    list[Annotated[str, StringConstraints(max_length=65_536)]], Field(max_length=64)
]
Number = Annotated[Int, BeforeValidator(_number)]
Port = Annotated[Number, Field(ge=1, le=65_535)]
PortName = Annotated[str, StringConstraints(pattern="^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$")]
PortReference = Port | PortName
Seconds = Annotated[Number, Field(ge=0, le=3600)]
Protocol = Literal["TCP", "UDP"]


class SeccompProfile(Model):
    """The profile that Pod Security asks for."""

    type: Literal["RuntimeDefault"]


class Capabilities(Model):
    """Capabilities of Linux; all are dropped."""

    drop: Annotated[list[Text], Field(max_length=64)] = []


class SecurityContext(Model):
    """Security of a container, no weaker than restricted."""

    run_as_non_root: Literal[True] | None = None
    run_as_user: UserId | None = None
    run_as_group: UserId | None = None
    read_only_root_filesystem: Bool | None = None
    allow_privilege_escalation: Literal[False] | None = None
    privileged: Literal[False] | None = None
    capabilities: Capabilities | None = None
    seccomp_profile: SeccompProfile | None = None


class RestrictedPodSecurityContext(Model):
    """Security of a pod, no weaker than restricted."""

    run_as_non_root: Literal[True] | None = None
    run_as_user: UserId | None = None
    run_as_group: UserId | None = None
    fs_group: UserId | None = None
    seccomp_profile: SeccompProfile | None = None


class HttpHeader(Model):
    """A header of a probe."""

    name: Text
    value: str


class HttpGet(Model):
    """A request of the kubelet to the pod itself."""

    path: str | None = None
    port: PortReference
    scheme: Literal["HTTP", "HTTPS"] | None = None
    http_headers: Annotated[list[HttpHeader], Field(max_length=16)] | None = None


class TcpSocket(Model):
    """A connection of the kubelet to the pod itself."""

    port: PortReference


class Exec(Model):
    """A command in the container."""

    command: Arguments


class Probe(Model):
    """Whether a container works."""

    http_get: HttpGet | None = None
    tcp_socket: TcpSocket | None = None
    exec: Exec | None = None
    initial_delay_seconds: Seconds | None = None
    period_seconds: Seconds | None = None
    timeout_seconds: Seconds | None = None
    failure_threshold: Annotated[Number, Field(ge=1, le=1000)] | None = None
    success_threshold: Annotated[Number, Field(ge=1, le=1000)] | None = None

    rules: ClassVar = (exactly_one("httpGet", "tcpSocket", "exec"),)


class ContainerPort(Model):
    """A port that a container listens on, not the node."""

    name: PortName | None = None
    container_port: Port
    protocol: Protocol | None = None


class VolumeMount(Model):
    """A volume in a container."""

    name: ShortName
    mount_path: Text
    sub_path: Text | None = None
    read_only: Bool | None = None


class Container(Model):
    """A container."""

    name: ShortName
    image: Annotated[str, StringConstraints(min_length=1, max_length=512)]
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    command: Arguments | None = None
    args: Arguments | None = None
    working_dir: Text | None = None
    env: Annotated[list[EnvVar], Field(max_length=64), ListMap("name")] | None = None
    ports: Annotated[list[ContainerPort], Field(max_length=16)] | None = None
    resources: Resources | None = None
    volume_mounts: Annotated[list[VolumeMount], Field(max_length=16)] | None = None
    liveness_probe: Probe | None = None
    readiness_probe: Probe | None = None
    startup_probe: Probe | None = None
    security_context: SecurityContext | None = None


class KeyPath(Model):
    """A key of a ConfigMap as a file."""

    key: FileName
    path: FileName


class ConfigMapVolume(Model):
    """A ConfigMap of the companions as files."""

    name: ShortName
    items: Annotated[list[KeyPath], Field(max_length=64)] | None = None


class Volume(Model):
    """A ConfigMap of the companions, or scratch space."""

    name: ShortName
    config_map: ConfigMapVolume | None = None
    empty_dir: EphemeralStorage | None = None

    rules: ClassVar = (exactly_one("configMap", "emptyDir"),)


class PodSpec(Model):
    """A pod."""

    containers: Annotated[list[Container], Field(min_length=1, max_length=4), ListMap("name")]
    init_containers: Annotated[list[Container], Field(max_length=4), ListMap("name")] = []
    volumes: Annotated[list[Volume], Field(max_length=16), ListMap("name")] = []
    image_pull_secrets: Annotated[list[ObjectReference], Field(max_length=8)] = []
    security_context: RestrictedPodSecurityContext | None = None
    termination_grace_period_seconds: Annotated[Number, Field(ge=0, le=60)] | None = None
    automount_service_account_token: Literal[False] | None = None
    restart_policy: Literal["Always"] | None = None


LabelValue = Annotated[
    str,
    StringConstraints(max_length=63),
    Matches(
        f"({LABEL_NAME})?",
        "must be letters, digits, '-', '_' and '.', and begin and end with a letter or digit, such"
        " as proxy-1",
    ),
]


class PodTemplateMetadata(Model):
    """Labels of a pod, for the selectors of Services."""

    labels: Annotated[dict[str, LabelValue], Field(max_length=32)] = {}

    rules: ClassVar = LABEL_RULES


class PodTemplate(Model):
    """A pod of a Deployment."""

    metadata: PodTemplateMetadata = PodTemplateMetadata()
    spec: PodSpec


DnsName = Annotated[ShortName, StringConstraints(pattern="^[a-z]")]
"""A name that a Service may have, too (RFC 1035)."""


class ObjectMetadata(PodTemplateMetadata):
    """Name and labels; the namespace is that of the benchmark."""

    name: DnsName


class PodLabelSelector(Model):
    """Labels that pods have."""

    match_labels: Labels = {}


class DeploymentSpec(Model):
    """Pods, all of them alike."""

    replicas: Annotated[Number, Field(ge=1, le=MAX_REPLICAS)] = 1
    selector: PodLabelSelector = PodLabelSelector()
    template: PodTemplate


class Deployment(Model):
    """A Deployment."""

    api_version: Literal["apps/v1"]
    kind: Literal["Deployment"]
    metadata: ObjectMetadata
    spec: DeploymentSpec


class ServicePort(Model):
    """A port of a Service."""

    name: PortName | None = None
    port: Port
    target_port: PortReference | None = None
    protocol: Protocol | None = None


class ServiceSpec(Model):
    """One address for the pods of a Deployment, inside of the cluster."""

    selector: Labels = {}
    ports: Annotated[list[ServicePort], Field(min_length=1, max_length=16)]
    type: Literal["ClusterIP"] | None = None
    cluster_ip: Annotated[Literal["None"] | None, Field(alias="clusterIP")] = None
    session_affinity: Literal["None", "ClientIP"] | None = None


class Service(Model):
    """A Service; without a selector, that of the Deployment of its name."""

    api_version: Literal["v1"]
    kind: Literal["Service"]
    metadata: ObjectMetadata
    spec: ServiceSpec


class ConfigMap(Model):
    """A ConfigMap."""

    api_version: Literal["v1"]
    kind: Literal["ConfigMap"]
    metadata: ObjectMetadata
    data: Annotated[dict[FileName, str], Field(max_length=64)] = {}


CompanionObject = Deployment | Service | ConfigMap

KINDS = {kind.__name__: kind for kind in (Deployment, Service, ConfigMap)}


@dataclass(frozen=True)
class BundleScope:
    """For whom manifests are read, and what the operator's settings allow in them.

    `values` are those of the names that the operator gives; names of Services are added to them.
    Variables may come from Secrets, and pods may have labels of users, only where that is allowed.
    """

    benchmark_name: str
    namespace: str
    values: Mapping[str, str]
    allows_secrets: bool = False
    allows_labels: bool = True


@dataclass(frozen=True)
class CompanionBundle:
    """The objects to make: their pods are waited for, and variants may name their Services."""

    deployments: tuple[Deployment, ...]
    services: tuple[Service, ...]
    config_maps: tuple[ConfigMap, ...]

    @property
    def pods(self) -> int:
        """Number of pods of all Deployments."""
        return sum(deployment.spec.replicas for deployment in self.deployments)


def find_problems(
    body: CompanionObject, bundle: CompanionBundle, scope: BundleScope
) -> Iterator[str]:
    """Yield what is wrong with an object among the others."""
    if isinstance(body, Deployment):
        yield from _deployment_problems(body, bundle, scope)
    elif isinstance(body, Service) and not any(
        selects(body, deployment) for deployment in bundle.deployments
    ):
        yield (
            "spec.selector must be labels of a Deployment of the companions, or be omitted for the"
            " Deployment of the same name"
        )


def selects(service: Service, deployment: Deployment) -> bool:
    """Return whether a Service leads to the pods of a Deployment."""
    if not service.spec.selector:
        return service.metadata.name == deployment.metadata.name
    return service.spec.selector.items() <= deployment.spec.template.metadata.labels.items()


def _deployment_problems(
    body: Deployment, bundle: CompanionBundle, scope: BundleScope
) -> Iterator[str]:
    template = body.spec.template
    if not body.spec.selector.match_labels.items() <= template.metadata.labels.items():
        yield "spec.selector.matchLabels must be among spec.template.metadata.labels"
    if template.metadata.labels and not scope.allows_labels:
        yield "spec.template.metadata.labels must not be set, the operator's settings do not allow"
    volumes = template.spec.volumes
    config_maps = [each.config_map.name for each in volumes if each.config_map is not None]
    for container in (*template.spec.init_containers, *template.spec.containers):
        for variable in container.env or ():
            source = variable.value_from
            if source is not None and source.config_map_key_ref is not None:
                config_maps.append(source.config_map_key_ref.name)
            elif source is not None and not scope.allows_secrets:
                yield (
                    f"env {variable.name} must not come from a Secret, the operator's settings do"
                    " not allow env.valueFrom.secretKeyRef"
                )
        for mount in container.volume_mounts or ():
            if mount.name not in {each.name for each in volumes}:
                yield f"volumeMounts: there is no volume {mount.name}"
    own = {each.metadata.name for each in bundle.config_maps}
    for name in (each for each in config_maps if each not in own):
        yield f"ConfigMap {name} must be among the companions"
