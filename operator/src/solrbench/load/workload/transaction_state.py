"""A transaction under way: which request is next, what it passes on, how long it took."""

from collections.abc import Sequence
from typing import NamedTuple

from solrbench.api.v1alpha1.load.load import ThinkTime
from solrbench.load.schedule.think_time import think_seconds
from solrbench.load.validation.expectations import Expected
from solrbench.load.validation.response_checks import NOTHING_FOUND, Failure
from solrbench.load.workload.extraction import Extraction, extract
from solrbench.load.workload.prepared_request import (
    Counter,
    Extra,
    Kind,
    PreparedRequest,
    Sequel,
    in_shape,
    json_content,
)
from solrbench.load.workload.templates import Template, in_address, in_json


class FlowStep(NamedTuple):
    """One request of a transaction, ready to be filled in."""

    name: int
    """Place of its name in `RequestList.names`."""
    shape: int
    kind: Kind
    is_json: bool
    """The answer is JSON."""
    text: Template
    """The encoded parameters."""
    body: Template | None
    """The JSON body."""
    expected: Expected | None
    extractions: Sequence[Extraction]
    think: ThinkTime | None
    """Wait before it."""


class Flow:
    """One transaction of one user or arrival."""

    __slots__ = ("_place", "_received", "_seed", "_spent_ns", "_steps", "_values", "_whole")

    def __init__(
        self, steps: Sequence[FlowStep], whole: PreparedRequest, values: dict[str, str], seed: int
    ) -> None:
        """Prepare the first request; `whole` is what the transaction itself is counted as."""
        self._steps = steps
        self._whole = whole
        self._values = values
        self._seed = seed
        self._place = 0
        self._spent_ns = 0
        self._received = 0

    @property
    def whole(self) -> PreparedRequest:
        """What the transaction itself is counted as."""
        return self._whole

    def request(self) -> PreparedRequest:
        """Return the request whose turn it is."""
        step = self._steps[self._place]
        text = step.text.fill(self._values, in_address)
        content = b""
        if step.body is not None:
            content = json_content(step.body.fill(self._values, in_json).encode())
        extra = Extra(content, step.expected, self)
        return PreparedRequest(
            in_shape(step.kind, text), step.name, step.is_json, step.shape, extra
        )

    def extract(self, body: bytes) -> Failure | None:
        """Take the values of an answer; return why that is impossible."""
        extractions = self._steps[self._place].extractions
        return extract(body, extractions, self._values) if extractions else None

    def follow(
        self,
        counter: Counter,
        began_ns: int,
        ended_ns: int,
        received: int,
        failed: Failure | None,
    ) -> Sequel | None:
        """Take the end of the request under way, which is counted already; return what follows.

        After the last request, or a failed one, the whole is counted and nothing follows. One
        whose step ends in the middle is not counted: it was neither done nor did it fail.
        """
        self._spent_ns += ended_ns - began_ns
        self._received += received
        failure = None if failed is NOTHING_FOUND else failed
        self._place += 1
        if failure is None and self._place < len(self._steps):
            if counter.is_closed(ended_ns):
                return None
            return Sequel(self.request(), self._think_seconds())
        # As long as its requests together, and in the second of its end.
        counter.record(self._whole, ended_ns - self._spent_ns, ended_ns, self._received, failure)
        return None

    def _think_seconds(self) -> float:
        think = self._steps[self._place].think
        return 0.0 if think is None else think_seconds(think, self._seed, self._place)
