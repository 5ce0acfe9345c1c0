"""The full report: what was asked for, what was measured, and on what."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import orjson
from pydantic import ConfigDict, ValidationError

from solrbench.analysis.answers import ComparedAnswers
from solrbench.api.rules import LenientModel, plain, problems
from solrbench.api.v1alpha1 import Metadata, SolrBenchmark, Spec, Status
from solrbench.contract.environment import Environment
from solrbench.contract.step_document import StepRunResult

_MAX_PROBLEMS = 3


class ReportFormatError(ValueError):
    """A file is not a report that this version reads."""


class ReportDocument(LenientModel):
    """A report that is stored as JSON, which each later version of the program reads.

    Its `schema_version` changes when a field is removed or gets another meaning; new fields leave
    it as it is.
    """

    subject: ClassVar[str] = ""
    """What it is the report of, in messages."""

    @classmethod
    def parse(cls, stored: bytes | Mapping[str, Any]) -> Self:
        """Return the report in the JSON of `to_json`, or in the object that was read from it.

        It raises `ReportFormatError` if it is none.
        """
        try:
            return cls.parse_admitted(stored)
        except ValidationError as error:
            version = cls.model_fields["schema_version"].default
            found = "; ".join(problems(error)[:_MAX_PROBLEMS])
            text = f"not a report{cls.subject} of version {version}: {found}"
            raise ReportFormatError(text) from error

    def to_json(self) -> bytes:
        """Return the report as JSON; what was not measured is absent."""
        return orjson.dumps(plain(self), option=orjson.OPT_INDENT_2)


class Report(ReportDocument):
    """The full report of one benchmark, as `solrbench report NAME -o json` prints it."""

    model_config = ConfigDict(title="Report of a SolrBenchmark")

    schema_version: Literal[1] = 1
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
    answers: list[ComparedAnswers] = []
    """What is answered differently, with the queries that changed most, as far as both sides were
    read: variants, and the baseline."""
    steps: list[StepRunResult] = []
    """Every stored step run with histograms and windows, in the order of measuring."""

    @property
    def as_benchmark(self) -> SolrBenchmark:
        """The resource that the report is of."""
        namespace, _, name = self.benchmark.rpartition("/")
        metadata = Metadata(name=name, namespace=namespace)
        return SolrBenchmark(metadata=metadata, spec=self.spec, status=self.status)
