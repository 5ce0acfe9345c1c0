"""What pods of companions may have: nothing that lends rights or leaves the pod.

A field that is not here is refused by its name. The operator adds what Pod Security "restricted"
asks for, so a manifest may repeat that, but not weaken it.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from solrbench.api.rules import ListMap, Model, exactly_one
from solrbench.api.v1alpha1.fields import Bool, FileName, Int, Labels, ObjectReference, ShortName
from solrbench.api.v1alpha1.pod.pod_options import EnvVar, UserId
from solrbench.api.v1alpha1.pod.pods import EphemeralStorage, Resources
from solrbench.api.v1alpha1.reserved import LABEL_RULES

MAX_REPLICAS = 8
"""Of one Deployment."""


def _number(given: Any) -> Any:
    """Return text of digits as a number, as `$(NAME)` leaves it."""
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


class PodSecurityContext(Model):
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
    security_context: PodSecurityContext | None = None
    termination_grace_period_seconds: Annotated[Number, Field(ge=0, le=60)] | None = None
    automount_service_account_token: Literal[False] | None = None
    restart_policy: Literal["Always"] | None = None

    @property
    def all_containers(self) -> list[Container]:
        """Containers of the start, and those that run."""
        return [*self.init_containers, *self.containers]


class TemplateMetadata(Model):
    """Labels of a pod, for the selectors of Services."""

    labels: Labels = {}

    rules: ClassVar = LABEL_RULES


class Template(Model):
    """A pod of a Deployment."""

    metadata: TemplateMetadata = TemplateMetadata()
    spec: PodSpec
