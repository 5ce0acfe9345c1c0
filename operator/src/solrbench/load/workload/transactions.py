"""Transactions of a workload: templates and inputs, checked before the load starts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.api.v1alpha1.request_mix import MixEntry, Queries, Transaction, TransactionRequest
from solrbench.api.v1alpha1.workload import Workload
from solrbench.load.errors import LoadError
from solrbench.load.schedule.messages import Assignment
from solrbench.load.schedule.users import seed_of, think_seconds
from solrbench.load.workload.name_table import (
    RequestCounter,
    RequestNameTable,
    query_positions,
    visibility_of,
)
from solrbench.load.workload.query_file import WorkloadQuery
from solrbench.load.workload.requests import (
    BodyKind,
    CompletedTransaction,
    NextRequest,
    PreparedRequest,
    RequestExtras,
    first_template_index,
    json_content,
    variable_part,
)
from solrbench.load.workload.response_checks import (
    CompiledExpectation,
    RequestFailure,
    compile_expectation,
    failure_or_none,
)
from solrbench.load.workload.templates import (
    Extraction,
    TextTemplate,
    escape_json,
    extract_values,
    join_templates,
    parse_extraction,
    parse_template,
    url_quote,
    with_defaults,
)
from solrbench.reasons.load import LoadReason


class TransactionStep(NamedTuple):
    """One request of a transaction, ready to be filled in."""

    name: int
    """Place of its name in `PreparedWorkload.names`."""
    template_index: int
    kind: BodyKind
    is_readable: bool
    """The response is JSON."""
    text: TextTemplate
    """The encoded parameters."""
    body: TextTemplate | None
    expectation: CompiledExpectation | None
    extractions: Sequence[Extraction]
    think: ThinkTime | None
    """Wait before it."""


@dataclass(slots=True, eq=False, repr=False)
class RunningTransaction:
    """One transaction of one user or arrival: what is next, what it passes on, how long it took."""

    steps: Sequence[TransactionStep]
    summary_request: PreparedRequest
    values: dict[str, str]
    seed: int
    _step_index: int = field(default=0, init=False)
    elapsed_ns: int = field(default=0, init=False)
    _received: int = field(default=0, init=False)

    def request(self) -> PreparedRequest:
        """Return the request whose turn it is."""
        step = self.steps[self._step_index]
        body = variable_part(step.kind, step.text.fill(self.values, url_quote))
        content = b""
        if step.body is not None:
            content = json_content(step.body.fill(self.values, escape_json).encode())
        extra = RequestExtras(content, step.expectation, self)
        return PreparedRequest(body, step.name, step.is_readable, step.template_index, extra)

    def extract(self, body: bytes) -> RequestFailure | None:
        """Take the values of a response; return why that is impossible."""
        extractions = self.steps[self._step_index].extractions
        return extract_values(body, extractions, self.values) if extractions else None

    def advance(
        self, started_ns: int, ended_ns: int, received: int, failed: RequestFailure | None
    ) -> NextRequest | CompletedTransaction:
        """Take the end of the request under way, which is counted already; return what follows.

        After the last request, or a failed one, the whole is to be counted. One whose step ends in
        the middle never is: it was neither done nor did it fail.
        """
        self.elapsed_ns += ended_ns - started_ns
        self._received += received
        failure = failure_or_none(failed)
        self._step_index += 1
        if failure is None and self._step_index < len(self.steps):
            think = self.steps[self._step_index].think
            seconds = 0.0 if think is None else think_seconds(think, self.seed, self._step_index)
            return NextRequest(self.request(), seconds)
        # As long as its requests together, and in the second of its end.
        return CompletedTransaction(
            self.summary_request, ended_ns - self.elapsed_ns, ended_ns, self._received, failure
        )


Inputs = Sequence[dict[str, str]]
"""The values of each line."""


@dataclass(frozen=True, eq=False, repr=False)
class TransactionSource:
    """The transactions of one entry of a mix."""

    steps: Sequence[TransactionStep]
    whole: PreparedRequest
    inputs: Inputs
    queries: Queries | None
    """The order of the inputs; None if each transaction begins without any."""
    seed: int

    def open_stream(
        self, assignment: Assignment, entry_index: int, counter: RequestCounter
    ) -> Iterator[PreparedRequest]:
        """Return the first request of each transaction of one worker in one step run."""
        who = (assignment.repeat, assignment.step, assignment.worker, entry_index)
        inputs: Iterator[dict[str, str]] = (self.inputs[0] for _ in counter)
        if self.queries is not None:
            size = len(self.inputs)
            drawn = query_positions(self.queries, size, assignment, entry_index, counter)
            inputs = map(self.inputs.__getitem__, drawn)
        for number, values in enumerate(inputs):
            seed = seed_of("flow", self.seed, *who, number)
            # A copy of the values: what a response passes on is put among them.
            yield RunningTransaction(self.steps, self.whole, dict(values), seed).request()


def transaction_names(workload: Workload) -> frozenset[str]:
    """Return the names under which transactions and their requests are counted."""
    return frozenset(
        name
        for entry in workload.entries
        if entry.transaction is not None
        for name in (entry.name, *(f"{entry.name}.{r.name}" for r in entry.transaction.requests))
    )


def prepare_transaction(
    workload: Workload,
    entry_index: int,
    names: RequestNameTable,
    lines: Sequence[WorkloadQuery] | None,
) -> TransactionSource:
    """Return the part of the mix's entry at `entry_index`; new names are added to `names`.

    It raises `LoadError` with `BadPlan` if a value has no origin, a path is no JMESPath or a body
    no JSON; `MalformedQueries` if a line of the inputs lacks a value.
    """
    entry = workload.entries[entry_index]
    transaction = entry.transaction
    if transaction is None:
        raise ValueError(f"entry {entry.name} is no transaction")
    where = f"workload.mix[{entry_index}].transaction"
    whole = PreparedRequest(b"", names.index_of(entry.name), is_readable=True)
    steps = [
        _step(workload, entry, request, names, f"{where}.requests[{number}]")
        for number, request in enumerate(transaction.requests)
    ]
    inputs: Inputs = [{}] if lines is None else [dict(line.parameters) for line in lines]
    _check_names(transaction, steps, inputs, where)
    return TransactionSource(steps, whole, inputs, transaction.inputs, workload.draw_seed)


def _step(
    workload: Workload,
    entry: MixEntry,
    request: TransactionRequest,
    names: RequestNameTable,
    where: str,
) -> TransactionStep:
    kind = BodyKind.GET if (request.method or workload.method) == "GET" else BodyKind.FORM
    body = None
    if request.json_body is not None:
        kind, body = BodyKind.JSON, _body(request.json_body, where)
    defaults = {"wt": "json", **workload.parameters, **entry.parameters}
    parameters = with_defaults(tuple(request.parameters.items()), defaults)
    view = visibility_of(parameters, request.json_body)
    # What one of its requests hides, the whole cannot show.
    names.index_of(entry.name, view)
    pairs = [
        join_templates([parse_template(key, url_quote), parse_template(value, url_quote)], "=")
        for key, value in parameters
    ]
    return TransactionStep(
        name=names.index_of(f"{entry.name}.{request.name}", view),
        template_index=first_template_index(workload, request.handler or workload.handler) + kind,
        kind=kind,
        is_readable=view.content,
        text=join_templates(pairs, "&"),
        body=body,
        expectation=compile_expectation(request.expect or workload.expect),
        extractions=_extractions(request.extract, where),
        think=request.think_time,
    )


def _extractions(paths: dict[str, str], where: str) -> list[Extraction]:
    extractions = []
    for name, path in paths.items():
        try:
            extractions.append(parse_extraction(name, path))
        except ValueError as error:
            problem = str(error).partition("\n")[0]
            text = f"{where}.extract.{name}: {path}: {problem}; write a JMESPath expression"
            raise LoadError(LoadReason.BAD_PLAN, text) from error
    return extractions


def _body(text: str, where: str) -> TextTemplate:
    """Return the template of a JSON body, which must be JSON with a plain value in each place."""
    template = parse_template(text)
    try:
        orjson.loads(template.fill(dict.fromkeys(template.names, "0"), str))
    except orjson.JSONDecodeError as error:
        raise LoadError(LoadReason.BAD_PLAN, f"{where}.jsonBody: {error}; write JSON") from error
    return template


def _check_names(
    transaction: Transaction, steps: Sequence[TransactionStep], inputs: Inputs, where: str
) -> None:
    known: set[str] = set()
    for number, (request, step) in enumerate(zip(transaction.requests, steps, strict=True)):
        needed = step.text.names | (step.body.names if step.body is not None else frozenset())
        for name in sorted(needed - known):
            what = f"{where}.requests[{number}]"
            if transaction.inputs is None:
                raise LoadError(
                    LoadReason.BAD_PLAN,
                    f"{what}: nothing gives {{{{{name}}}}}; extract it from a request before,"
                    " or name it in inputs",
                )
            for line, values in enumerate(inputs, start=1):
                if name not in values:
                    text = f"{what}: {{{{{name}}}}} is not in input {line}; give every line a value"
                    raise LoadError(LoadReason.MALFORMED_QUERIES, text)
        known |= request.extract.keys()
