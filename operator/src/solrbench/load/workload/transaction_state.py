"""A transaction under way: which request is next, what it passes on, how long it took."""

from collections.abc import Sequence
from typing import NamedTuple

from solrbench.api.v1alpha1.load.think_time import ThinkTime
from solrbench.load.schedule.think_time import think_seconds
from solrbench.load.validation.expectations import CompiledExpectation
from solrbench.load.validation.response_checks import RequestFailure, failure_or_none
from solrbench.load.workload.extraction import Extraction, extract_values
from solrbench.load.workload.prepared_request import (
    BodyKind,
    CompletedTransaction,
    NextRequest,
    PreparedRequest,
    RequestExtras,
    json_content,
    variable_part,
)
from solrbench.load.workload.templates import Template, escape_json, escape_url


class TransactionStep(NamedTuple):
    """One request of a transaction, ready to be filled in."""

    name: int
    """Place of its name in `RequestList.names`."""
    template_index: int
    kind: BodyKind
    is_json: bool
    """The response is JSON."""
    text: Template
    """The encoded parameters."""
    body: Template | None
    """The JSON body."""
    expectation: CompiledExpectation | None
    extractions: Sequence[Extraction]
    think: ThinkTime | None
    """Wait before it."""


class RunningTransaction:
    """One transaction of one user or arrival."""

    __slots__ = (
        "_elapsed_ns",
        "_received",
        "_seed",
        "_step_index",
        "_steps",
        "_summary_request",
        "_values",
    )

    def __init__(
        self,
        steps: Sequence[TransactionStep],
        summary_request: PreparedRequest,
        values: dict[str, str],
        seed: int,
    ) -> None:
        """Begin with the first request; the transaction counts as `summary_request`."""
        self._steps = steps
        self._summary_request = summary_request
        self._values = values
        self._seed = seed
        self._step_index = 0
        self._elapsed_ns = 0
        self._received = 0

    @property
    def summary_request(self) -> PreparedRequest:
        """What the transaction itself is counted as."""
        return self._summary_request

    def request(self) -> PreparedRequest:
        """Return the request whose turn it is."""
        step = self._steps[self._step_index]
        text = step.text.fill(self._values, escape_url)
        content = b""
        if step.body is not None:
            content = json_content(step.body.fill(self._values, escape_json).encode())
        extra = RequestExtras(content, step.expectation, self)
        return PreparedRequest(
            variable_part(step.kind, text), step.name, step.is_json, step.template_index, extra
        )

    def extract(self, body: bytes) -> RequestFailure | None:
        """Take the values of a response; return why that is impossible."""
        extractions = self._steps[self._step_index].extractions
        return extract_values(body, extractions, self._values) if extractions else None

    def advance(
        self, started_ns: int, ended_ns: int, received: int, failed: RequestFailure | None
    ) -> NextRequest | CompletedTransaction:
        """Take the end of the request under way, which is counted already; return what follows.

        After the last request, or a failed one, the whole is to be counted. One whose step ends in
        the middle never is: it was neither done nor did it fail.
        """
        self._elapsed_ns += ended_ns - started_ns
        self._received += received
        failure = failure_or_none(failed)
        self._step_index += 1
        if failure is None and self._step_index < len(self._steps):
            return NextRequest(self.request(), self._think_seconds())
        # As long as its requests together, and in the second of its end.
        return CompletedTransaction(
            self._summary_request, ended_ns - self._elapsed_ns, ended_ns, self._received, failure
        )

    def _think_seconds(self) -> float:
        think = self._steps[self._step_index].think
        return 0.0 if think is None else think_seconds(think, self._seed, self._step_index)
