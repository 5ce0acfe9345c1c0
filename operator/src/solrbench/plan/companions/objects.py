"""Deployments, Services and ConfigMaps, as far as companions may have them."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import FileName, Labels, ShortName
from solrbench.api.v1alpha1.reserved import LABEL_RULES
from solrbench.plan.companions.pods import (
    MAX_REPLICAS,
    Number,
    Port,
    PortName,
    PortReference,
    Protocol,
    Template,
)

DnsName = Annotated[ShortName, StringConstraints(pattern="^[a-z]")]
"""A name that a Service may have, too (RFC 1035)."""


class ObjectMetadata(Model):
    """Name and labels; the namespace is that of the benchmark."""

    name: DnsName
    labels: Labels = {}

    rules: ClassVar = LABEL_RULES


class LabelSelector(Model):
    """Labels that pods have."""

    match_labels: Labels = {}


class DeploymentSpec(Model):
    """Pods, all of them alike."""

    replicas: Annotated[Number, Field(ge=1, le=MAX_REPLICAS)] = 1
    selector: LabelSelector = LabelSelector()
    template: Template


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

KINDS: dict[str, type[Deployment] | type[Service] | type[ConfigMap]] = {
    "Deployment": Deployment,
    "Service": Service,
    "ConfigMap": ConfigMap,
}
