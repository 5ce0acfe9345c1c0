"""The full report: what was asked for, what was measured, and on what."""

from typing import Any, Literal, Self

import orjson
from pydantic import ConfigDict, ValidationError

from solrbench.api.rules import LenientModel, problems
from solrbench.api.v1alpha1 import Metadata, SolrBenchmark, Spec, Status
from solrbench.contract.environment import Environment
from solrbench.contract.step_document import StepRunResult

SCHEMA_VERSION: Literal[1] = 1
"""Changes when a field is removed or gets another meaning; new fields leave it as it is."""

_MAX_PROBLEMS = 3


class ReportFormatError(ValueError):
    """A file is not a report that this version reads."""


class Report(LenientModel):
    """The full report of one benchmark, as `solrbench report NAME -o json` prints it."""

    model_config = ConfigDict(title="Report of a SolrBenchmark")

    schema_version: Literal[1] = SCHEMA_VERSION
    """Version of this format."""
    benchmark: str
    """Namespace and name, with a slash between."""
    spec: Spec
    """Its spec, with all defaults."""
    status: Status
    """Its status: results, verdicts, comparisons, conditions."""
    environment: Environment | None = None
    """What it ran on; absent until the load runs."""
    evidence: dict[str, str] = {}
    """Logs and events of failures, by attempt."""
    steps: list[StepRunResult] = []
    """Every stored step run with histograms and windows, in the order of measuring."""

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """Return the report in the JSON of `to_json`.

        Raises:
            ReportFormatError: if it is none.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            message = "; ".join(problems(error)[:_MAX_PROBLEMS])
            raise ReportFormatError(
                f"not a report of version {SCHEMA_VERSION}: {message}"
            ) from error

    @property
    def as_benchmark(self) -> SolrBenchmark:
        """The resource that the report is of."""
        namespace, _, name = self.benchmark.rpartition("/")
        metadata = Metadata(name=name, namespace=namespace)
        return SolrBenchmark(metadata=metadata, spec=self.spec, status=self.status)

    def to_json(self) -> bytes:
        """Return the report as JSON; what was not measured is absent."""
        body: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return orjson.dumps(body, option=orjson.OPT_INDENT_2)
