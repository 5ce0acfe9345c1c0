"""Transactions of a workload: templates and inputs, checked before the load starts."""

from collections.abc import Iterator, Sequence

import orjson

from solrbench.api.v1alpha1.workload.mix import MixEntry, Transaction, TransactionRequest
from solrbench.api.v1alpha1.workload.queries import Queries
from solrbench.api.v1alpha1.workload.workload import Workload
from solrbench.load.errors import LoadError
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.seeds import seed_of
from solrbench.load.validation.expectations import compile_expectation
from solrbench.load.workload.extraction import Extraction, parse_extraction
from solrbench.load.workload.http_requests import first_template_index
from solrbench.load.workload.name_table import RequestNameTable, visibility_of
from solrbench.load.workload.ordering import RequestCounter, query_positions
from solrbench.load.workload.prepared_request import BodyKind, PreparedRequest
from solrbench.load.workload.query_file import Query
from solrbench.load.workload.templates import Template, escape_url, join_templates, parse_template
from solrbench.load.workload.transaction_state import RunningTransaction, TransactionStep
from solrbench.reasons.load import LoadReason

Inputs = Sequence[dict[str, str]]
"""The values of each line."""

_NO_INPUTS: Inputs = ({},)


class TransactionSource:
    """The transactions of one entry of a mix."""

    def __init__(
        self,
        steps: Sequence[TransactionStep],
        whole: PreparedRequest,
        inputs: Inputs,
        queries: Queries | None,
        seed: int,
    ) -> None:
        """Take inputs in the order of `queries`, or begin each without any; `seed` is for waits."""
        self._seed = seed
        self._steps = steps
        self._whole = whole
        self._inputs = inputs
        self._queries = queries

    def open_stream(
        self, assignment: Assignment, entry_index: int, counter: RequestCounter
    ) -> Iterator[PreparedRequest]:
        """Return the first request of each transaction of one worker in one step run."""
        who = (assignment.repeat, assignment.step, assignment.worker, entry_index)
        for number, values in enumerate(self._values(assignment, entry_index, counter)):
            seed = seed_of("flow", self._seed, *who, number)
            yield RunningTransaction(self._steps, self._whole, dict(values), seed).request()

    def _values(
        self, assignment: Assignment, entry_index: int, counter: RequestCounter
    ) -> Iterator[dict[str, str]]:
        if self._queries is None:
            return (self._inputs[0] for _ in counter)
        drawn = query_positions(self._queries, len(self._inputs), assignment, entry_index, counter)
        return map(self._inputs.__getitem__, drawn)


def transaction_names(workload: Workload) -> frozenset[str]:
    """Return the names under which transactions and their requests are counted."""
    return frozenset(
        name
        for entry in workload.entries
        if entry.transaction is not None
        for name in (entry.name, *(f"{entry.name}.{r.name}" for r in entry.transaction.requests))
    )


def prepare_transaction(
    workload: Workload, entry_index: int, names: RequestNameTable, lines: Sequence[Query] | None
) -> TransactionSource:
    """Return the part of the mix's entry at `entry_index`; new names are added to `names`.

    Raises:
        LoadError: `BadPlan` if a value has no origin, a path is no JMESPath or a body no JSON;
            `MalformedQueries` if a line of the inputs lacks a value.

    """
    entry = workload.entries[entry_index]
    transaction = entry.transaction
    if transaction is None:
        raise ValueError(f"entry {entry.name} is no transaction")
    where = f"workload.mix[{entry_index}].transaction"
    whole = PreparedRequest(b"", names.index_of(entry.name), is_json=True)
    steps = [
        _step(workload, entry, request, names, f"{where}.requests[{number}]")
        for number, request in enumerate(transaction.requests)
    ]
    inputs = _NO_INPUTS if lines is None else [_values(line) for line in lines]
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
    # Its own first, as with queries: that is what a reader of the slow list looks for.
    parameters = request.parameters | {
        key: value for key, value in defaults.items() if key not in request.parameters
    }
    view = visibility_of(parameters.items(), request.json_body)
    # What one of its requests hides, the whole cannot show.
    names.index_of(entry.name, view)
    return TransactionStep(
        name=names.index_of(f"{entry.name}.{request.name}", view),
        template_index=first_template_index(workload, request.handler or workload.handler) + kind,
        kind=kind,
        is_json=view.content,
        text=_encoded(parameters),
        body=body,
        expectation=compile_expectation(request.expect or workload.expect),
        extractions=_extractions(request.extract, where),
        think=request.think_time,
    )


def _extractions(paths: dict[str, str], where: str) -> list[Extraction]:
    found = []
    for name, path in paths.items():
        try:
            found.append(parse_extraction(name, path))
        except ValueError as error:
            problem = str(error).partition("\n")[0]
            raise LoadError(
                LoadReason.BAD_PLAN,
                f"{where}.extract.{name}: {path}: {problem}; write a JMESPath expression",
            ) from error
    return found


def _encoded(parameters: dict[str, str]) -> Template:
    pairs = [
        join_templates([parse_template(key, escape_url), parse_template(value, escape_url)], "=")
        for key, value in parameters.items()
    ]
    return join_templates(pairs, "&")


def _body(text: str, where: str) -> Template:
    """Return the template of a JSON body, which must be JSON with a plain value in each place."""
    found = parse_template(text)
    try:
        orjson.loads(found.fill(dict.fromkeys(found.names, "0"), str))
    except orjson.JSONDecodeError as error:
        raise LoadError(LoadReason.BAD_PLAN, f"{where}.jsonBody: {error}; write JSON") from error
    return found


def _values(line: Query) -> dict[str, str]:
    return dict(line.parameters)


def _check_names(
    transaction: Transaction, steps: Sequence[TransactionStep], inputs: Inputs, where: str
) -> None:
    known: set[str] = set()
    for number, (request, step) in enumerate(zip(transaction.requests, steps, strict=True)):
        needed = step.text.names | (step.body.names if step.body is not None else frozenset())
        for name in sorted(needed - known):
            _check_inputs(name, inputs, f"{where}.requests[{number}]", transaction)
        known |= request.extract.keys()


def _check_inputs(name: str, inputs: Inputs, where: str, transaction: Transaction) -> None:
    if transaction.inputs is None:
        raise LoadError(
            LoadReason.BAD_PLAN,
            f"{where}: nothing gives {{{{{name}}}}}; extract it from a request before,"
            " or name it in inputs",
        )
    lacking = next((i for i, values in enumerate(inputs, start=1) if name not in values), None)
    if lacking is not None:
        raise LoadError(
            LoadReason.MALFORMED_QUERIES,
            f"{where}: {{{{{name}}}}} is not in input {lacking}; give every line a value",
        )
