"""What a step run draws from: one list of requests, or a weighted mix of several parts.

Update requests are made while the load runs: in constant memory, for about 1 µs a document.
"""

import codecs
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import orjson

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.request_mix import GeneratedUpdates, Queries, UpdateIdPolicy, Updates
from solrbench.contract.generated_documents import DocumentGenerator, route_prefix
from solrbench.load.errors import LoadError
from solrbench.load.schedule.messages import STEP_DOCUMENTS, Assignment
from solrbench.load.schedule.users import seed_of
from solrbench.load.workload.name_table import (
    ALL_CHECKED,
    RequestCounter,
    UncheckedNames,
    entry_choices,
    query_positions,
)
from solrbench.load.workload.query_file import LineFile
from solrbench.load.workload.requests import PreparedRequest, RequestExtras, json_content
from solrbench.load.workload.transactions import TransactionSource
from solrbench.reasons.load import LoadReason


@dataclass(frozen=True)
class QuerySource:
    """A list of queries."""

    requests: Sequence[PreparedRequest]
    queries: Queries
    recorded_seconds: Sequence[float] = ()
    """Their times in a log, from 0 on, ascending; empty without."""

    def open_stream(
        self, assignment: Assignment, entry_index: int, counter: RequestCounter
    ) -> Iterator[PreparedRequest]:
        """Return the requests of one worker in one step run."""
        drawn = query_positions(self.queries, len(self.requests), assignment, entry_index, counter)
        return map(self.requests.__getitem__, drawn)


MAX_TEXTS = 4000
"""Generated documents kept, from which the contents of updates are drawn: some megabytes."""

_BLOCK = 1024

DocumentBatch = Callable[[int, int], list[bytes]]
"""Returns documents as JSON: those from a number on within the steps, and how many."""

IdBatch = Callable[[int, int], list[str]]
"""Returns their ids."""


class FileSource:
    """The lines of a file, in order and round again; the file stays on disk."""

    def __init__(self, path: Path) -> None:
        """Find the lines; `LoadError` with `NoDocuments`, or `MalformedDocuments` of no objects."""
        try:
            self._lines, offset = LineFile(path), 0
            with path.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    # A mark of the encoding is no JSON.
                    mark = 3 if number == 1 and line.startswith(codecs.BOM_UTF8) else 0
                    text = line[mark:].strip()
                    if text:
                        _check(text, path.name, number)
                        self._lines.note(offset + mark)
                    offset += len(line)
        except OSError as error:
            problem = f"cannot read document file {path}: {error}; check its volume"
            raise LoadError(LoadReason.NO_DOCUMENTS, problem) from error
        if not len(self._lines):
            problem = f"file {path.name} has no document; add one per line"
            raise LoadError(LoadReason.NO_DOCUMENTS, problem)

    def documents(self, assignment: Assignment, entry_index: int) -> DocumentBatch:
        """Return what gives lines: which ones depends on the number of the document alone."""
        del assignment, entry_index
        return self._batch

    def _batch(self, first: int, size: int) -> list[bytes]:
        lines = self._lines
        return [lines[number % len(lines)].strip() for number in range(first, first + size)]


def document_tail(document: Mapping[str, object], id_field: str) -> bytes:
    """Return a document as JSON without its opening brace and id, which only an update has."""
    rest = {name: value for name, value in document.items() if name != id_field}
    return b"," + orjson.dumps(rest)[1:] if rest else b"}"


class SampledSource:
    """New documents with the contents of others, for steps that index."""

    def __init__(self, tails: Sequence[bytes], seed: int, id_field: str) -> None:
        """Take contents as of `document_tail`, from which each update draws."""
        self._tails = tails
        self._seed = seed
        self._head = b"{%b:" % orjson.dumps(id_field)

    def documents(self, assignment: Assignment, entry_index: int) -> DocumentBatch:
        """Return what gives the documents of one worker in one step run."""
        parts = (assignment.repeat, assignment.step, assignment.worker, entry_index)
        rng = np.random.default_rng(seed_of("updates", self._seed, *parts))
        head, tails = self._head, self._tails
        texts, ids = _draw(rng, len(tails)), self._ids(assignment, entry_index, rng)

        def batch(first: int, size: int) -> list[bytes]:
            return [
                b'%b"%b"%b' % (head, name.encode(), tails[next(texts)]) for name in ids(first, size)
            ]

        return batch

    def _ids(self, assignment: Assignment, entry_index: int, rng: np.random.Generator) -> IdBatch:
        del entry_index, rng
        return partial(_new_ids, assignment.document_prefix)


def _new_ids(prefix: str, first: int, size: int) -> list[str]:
    return [f"{prefix}{number:012d}" for number in range(first, first + size)]


def _draw(rng: np.random.Generator, limit: int) -> Iterator[int]:
    while True:
        yield from rng.integers(0, limit, _BLOCK).tolist()


class GeneratedSource(SampledSource):
    """Documents like those of the dataset, new ones or in place of those that are there."""

    def __init__(self, spec: GeneratedUpdates, generator: Generator, id_field: str) -> None:
        self._is_new = spec.ids is UpdateIdPolicy.NEW
        self._generator = generator
        self._documents = DocumentGenerator(generator, id_field)
        # Not the contents of the first documents, which an update would replace by themselves.
        first = seed_of("update-texts", spec.seed) % 2**40 // 100 * 100
        made = self._documents.range(range(first, first + MAX_TEXTS))
        super().__init__([document_tail(each, id_field) for each in made], spec.seed, id_field)

    def _ids(self, assignment: Assignment, entry_index: int, rng: np.random.Generator) -> IdBatch:
        if not self._is_new:
            old, identity = _draw(rng, self._generator.documents), self._documents.identity
            return lambda _, size: [identity(next(old)) for _ in range(size)]
        prefix = assignment.document_prefix
        if assignment.indexing is None:
            # What others have added stays, and would be replaced: lost tries, entries of the mix.
            prefix = f"new-{entry_index}-{prefix.removeprefix(STEP_DOCUMENTS)}"
        if not self._generator.route_prefixes:
            return partial(_new_ids, prefix)
        routes = _draw(rng, self._generator.route_prefixes)
        return lambda first, size: [
            route_prefix(next(routes)) + name for name in _new_ids(prefix, first, size)
        ]


DocumentSource = FileSource | SampledSource
"""Where the documents of updates come from."""


class UpdateSource:
    """The updates of a mix."""

    def __init__(self, plain: PreparedRequest, updates: Updates, source: DocumentSource) -> None:
        """Take what all requests share, parameters included, from `plain`."""
        self._plain = plain
        self._size = updates.documents_per_request
        self._source = source

    def open_stream(
        self, assignment: Assignment, entry_index: int, counter: RequestCounter
    ) -> Iterator[PreparedRequest]:
        """Return the requests of one worker in one step run, each made when it is taken."""
        documents = self._source.documents(assignment, entry_index)
        offset, size, plain = assignment.offset_of(entry_index), self._size, self._plain
        for slot in counter:
            batch = documents((offset + slot) * size, size)
            content = json_content(b"[%b]" % b",".join(batch))
            yield plain._replace(extra=RequestExtras(content))


def _check(line: bytes, file: str, number: int) -> None:
    try:
        content = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise LoadError(LoadReason.MALFORMED_DOCUMENTS, f"{file} line {number}: {error}") from error
    if not isinstance(content, dict):
        text = f"{file} line {number}: must be one JSON object, a document"
        raise LoadError(LoadReason.MALFORMED_DOCUMENTS, text)


RequestSource = QuerySource | UpdateSource | TransactionSource
"""One entry of a workload."""


@dataclass(frozen=True)
class RequestStream:
    """What one worker sends in one step run."""

    requests: Iterator[PreparedRequest]
    counters: Sequence[RequestCounter]

    def used_numbers(self) -> list[int]:
        """Return for each entry one more than the highest slot taken."""
        return [counter.next_number for counter in self.counters]


@dataclass(frozen=True)
class PreparedWorkload:
    """All that a workload may send."""

    names: tuple[str, ...]
    """Names of all requests, transactions included."""
    sources: Sequence[RequestSource]
    """The entries in the order of the workload."""
    weights: Sequence[int] = (1,)
    seed: int = 1
    transactions: frozenset[int] = frozenset()
    """Places in `names` that stand for whole transactions."""
    unchecked: UncheckedNames = ALL_CHECKED
    """What the responses to some names do not show."""

    @property
    def recorded_seconds(self) -> Sequence[float]:
        """The times of the requests in a log, from 0 on, ascending; empty without."""
        source = self.sources[0]
        return source.recorded_seconds if isinstance(source, QuerySource) else ()

    def open_stream(self, assignment: Assignment) -> RequestStream:
        """Begin a step run on one worker."""
        slots = [RequestCounter(assignment) for _ in self.sources]
        begun = [
            part.open_stream(assignment, index, own)
            for index, (part, own) in enumerate(zip(self.sources, slots, strict=True))
        ]
        requests = begun[0]
        if len(begun) > 1:
            requests = _mixed(entry_choices(self.weights, self.seed, assignment), begun)
        return RequestStream(requests, slots)


def _mixed(
    places: Iterator[int], begun: Sequence[Iterator[PreparedRequest]]
) -> Iterator[PreparedRequest]:
    """Yield from the parts in turn; the end of any part is the end of all."""
    for index in places:
        request = next(begun[index], None)
        if request is None:
            return
        yield request
