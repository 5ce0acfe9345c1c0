"""The `SolrBenchmark` resource as a whole."""

import re
from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import Field

from solrbench.api.rules import ADMITTED, LenientModel, Model, Rule
from solrbench.api.v1alpha1.spec import Spec
from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode

MAX_NAME = 40
"""Leaves room for `-load-worker-199-xxxxx` in a 63-character host name."""

MAX_NAME_PROVIDED = 32
"""Leaves room for `-solrcloud-zookeeper` and the hash of its revision in a label of 63."""


class OwnerReference(LenientModel):
    """The parts of a reference to an owner that the operator uses."""

    kind: str
    name: str
    uid: str
    controller: bool = False


class Metadata(LenientModel):
    """The parts of Kubernetes' metadata that the operator uses."""

    name: str
    namespace: str = "default"
    uid: str = ""
    generation: int = 1
    resource_version: str = ""
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []

    @property
    def controller(self) -> OwnerReference | None:
        """The resource that controls this one, if one does."""
        return next((each for each in self.owner_references if each.controller), None)


class SolrBenchmark(Model):
    """A benchmark of one SolrCloud topology: target, dataset, workload and load."""

    api_version: Literal["solrbench.io/v1alpha1"] = "solrbench.io/v1alpha1"
    """`apiVersion` is the version of this schema."""
    kind: Literal["SolrBenchmark"] = "SolrBenchmark"
    """`kind` is the kind of the resource."""
    metadata: Metadata
    """`metadata` is Kubernetes' object metadata: name, namespace, labels."""
    spec: Spec
    """`spec` is the desired state of the benchmark."""
    status: Status = Field(default_factory=Status)
    """`status` is the observed state, written only by the operator."""

    rules: ClassVar = (
        Rule(
            cel=f"self.metadata.name.size() <= {MAX_NAME}",
            message=f"metadata.name must have at most {MAX_NAME} characters",
            is_satisfied=lambda b: len(b.metadata.name) <= MAX_NAME,
        ),
        Rule(
            cel=(
                f"self.metadata.name.size() <= {MAX_NAME_PROVIDED}"
                " || !has(self.spec.target.solrCloud)"
                " || self.spec.target.solrCloud.zookeeper.mode != 'Provided'"
            ),
            message=(
                f"metadata.name must have at most {MAX_NAME_PROVIDED} characters when"
                " target.solrCloud.zookeeper.mode is Provided"
            ),
            is_satisfied=lambda b: (
                len(b.metadata.name) <= MAX_NAME_PROVIDED
                or b.spec.target.solr_cloud is None
                or b.spec.target.solr_cloud.zookeeper.mode is not ZooKeeperMode.PROVIDED
            ),
        ),
        Rule(
            cel="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
            message="metadata.name must start with a letter and must not contain dots",
            is_satisfied=lambda b: (
                re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", b.metadata.name) is not None
            ),
        ),
        Rule(
            cel=(
                "!has(self.spec.comparison.baseline)"
                " || !has(self.spec.comparison.baseline.benchmark)"
                " || self.spec.comparison.baseline.benchmark.name != self.metadata.name"
            ),
            message="spec.comparison.baseline.benchmark must be another benchmark than this one",
            is_satisfied=lambda b: b.metadata.name != _baseline(b),
        ),
    )

    @property
    def key(self) -> str:
        """`namespace/name`, as logs and metrics call it."""
        return f"{self.metadata.namespace}/{self.metadata.name}"

    @classmethod
    def parse(cls, body: dict[str, Any]) -> "SolrBenchmark":
        """Return the model of a resource as the API server stores it.

        One that has started keeps to the rules of the version that let it through: those that came
        with an upgrade of the operator do not end it.

        Raises:
            pydantic.ValidationError: if the resource breaks the schema or a rule.

        """
        known = {"apiVersion", "kind", "metadata", "spec", "status"}
        has_started = (body.get("status") or {}).get("startTime") is not None
        return cls.model_validate(
            {k: v for k, v in body.items() if k in known}, context={ADMITTED: has_started}
        )


def _baseline(benchmark: SolrBenchmark) -> str | None:
    """Return the name of the benchmark that it is compared with."""
    baseline = benchmark.spec.comparison.baseline
    reference = None if baseline is None else baseline.benchmark
    return None if reference is None else reference.name
