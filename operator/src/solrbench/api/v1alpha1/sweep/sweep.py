"""The `SolrBenchmarkSweep` resource as a whole."""

import re
from typing import Any, ClassVar, Literal

from pydantic import Field

from solrbench.api.rules import ADMITTED, Model, Rule
from solrbench.api.v1alpha1.benchmark import Metadata
from solrbench.api.v1alpha1.sweep.spec import SweepSpec
from solrbench.api.v1alpha1.sweep.status import SweepStatus

MAX_SWEEP_NAME = 24
"""Leaves room for the hash of a point in the name of its benchmark, which has at most 32."""


class SolrBenchmarkSweep(Model):
    """A sweep over SolrCloud topologies, data and loads: a benchmark for each point."""

    api_version: Literal["solrbench.io/v1alpha1"] = "solrbench.io/v1alpha1"
    """`apiVersion` is the version of this schema."""
    kind: Literal["SolrBenchmarkSweep"] = "SolrBenchmarkSweep"
    """`kind` is the kind of the resource."""
    metadata: Metadata
    """`metadata` is Kubernetes' object metadata: name, namespace, labels."""
    spec: SweepSpec
    """`spec` is the desired state of the sweep."""
    status: SweepStatus = Field(default_factory=SweepStatus)
    """`status` is the observed state, written only by the operator."""

    rules: ClassVar = (
        Rule(
            cel=f"self.metadata.name.size() <= {MAX_SWEEP_NAME}",
            message=f"metadata.name must have at most {MAX_SWEEP_NAME} characters",
            is_satisfied=lambda s: len(s.metadata.name) <= MAX_SWEEP_NAME,
        ),
        Rule(
            cel="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
            message="metadata.name must start with a letter and must not contain dots",
            is_satisfied=lambda s: (
                re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", s.metadata.name) is not None
            ),
        ),
    )

    @property
    def key(self) -> str:
        """`namespace/name`, as logs and metrics call it."""
        return f"{self.metadata.namespace}/{self.metadata.name}"

    @classmethod
    def parse(cls, body: dict[str, Any]) -> "SolrBenchmarkSweep":
        """Return the model of a resource as the API server stores it.

        Raises:
            pydantic.ValidationError: if the resource breaks the schema or a rule.

        """
        known = {"apiVersion", "kind", "metadata", "spec", "status"}
        has_started = (body.get("status") or {}).get("startTime") is not None
        return cls.model_validate(
            {k: v for k, v in body.items() if k in known}, context={ADMITTED: has_started}
        )
