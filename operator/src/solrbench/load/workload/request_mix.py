"""Update requests, made while the load runs: in constant memory, for about 1 µs a document."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import orjson

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.workload.mix import GeneratedUpdates, UpdateIdPolicy, Updates
from solrbench.load.errors import LoadError
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.seeds import seed_of
from solrbench.load.workload.line_file import LineFile
from solrbench.load.workload.ordering import RequestCounter
from solrbench.load.workload.prepared_request import PreparedRequest, RequestExtras, json_content
from solrbench.plan.document_generator import DocumentGenerator
from solrbench.plan.vocabulary import route_prefix
from solrbench.reasons.load import LoadReason

MAX_TEXTS = 4000
"""Generated documents kept, from which the contents of updates are drawn: some megabytes."""

_BLOCK = 1024


class DocumentSource(ABC):
    """Where the documents of updates come from."""

    @abstractmethod
    def documents(self, assignment: Assignment, entry_index: int) -> "Documents":
        """Return the documents of one worker in one step run."""


class Documents(ABC):
    """The documents of one worker in one step run, as JSON."""

    @abstractmethod
    def batch(self, first: int, size: int) -> list[bytes]:
        """Return the documents with the numbers from `first` on within the steps."""


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
            batch = documents.batch((offset + slot) * size, size)
            content = json_content(b"[%b]" % b",".join(batch))
            yield plain._replace(extra=RequestExtras(content))


class FileSource(DocumentSource, Documents):
    """The lines of a file, in order and round again; the file stays on disk."""

    def __init__(self, path: Path) -> None:
        """Find the lines and check that each is a JSON object.

        Raises:
            LoadError: `NoDocuments` or `MalformedDocuments`.

        """
        self._lines = _checked_lines(path)

    def documents(self, assignment: Assignment, entry_index: int) -> Documents:
        """Return itself: what is sent depends on the number of the document alone."""
        del assignment, entry_index
        return self

    def batch(self, first: int, size: int) -> list[bytes]:
        """Return lines."""
        lines = self._lines
        return [lines[number % len(lines)].strip() for number in range(first, first + size)]


class GeneratedSource(DocumentSource):
    """Documents like those of the dataset."""

    def __init__(self, spec: GeneratedUpdates, generator: Generator, id_field: str) -> None:
        """Make the contents, from which each update draws."""
        self.spec = spec
        self.generator = generator
        self.documents_generator = DocumentGenerator(generator, id_field)
        # Not the contents of the first documents, which an update would replace by themselves.
        first = seed_of("update-texts", spec.seed) % 2**40 // 100 * 100
        made = self.documents_generator.range(range(first, first + MAX_TEXTS))
        key = orjson.dumps(id_field)
        self.head = b"{%b:" % key
        self.tails = [_fields_json(document, id_field) for document in made]

    def documents(self, assignment: Assignment, entry_index: int) -> Documents:
        """Return the documents of one worker in one step run."""
        return _Generated(self, assignment, entry_index)


class _Generated(Documents):
    def __init__(self, source: GeneratedSource, assignment: Assignment, entry_index: int) -> None:
        self._source = source
        parts = (assignment.repeat, assignment.step, assignment.worker, entry_index)
        self._rng = np.random.default_rng(seed_of("updates", source.spec.seed, *parts))
        self._texts = self._draw(len(source.tails))
        self._new = source.spec.ids is UpdateIdPolicy.NEW
        run = f"new-{assignment.attempt}-{assignment.repeat}-{assignment.variant}"
        # What a lost try has added is there, and would be replaced.
        again = f"-again-{assignment.restarts}" if assignment.restarts else ""
        self._run = run.rstrip("-") + again
        prefixes = source.generator.route_prefixes
        self._prefixes = self._draw(prefixes) if self._new and prefixes else None
        self._old = self._draw(source.generator.documents)

    def batch(self, first: int, size: int) -> list[bytes]:
        head, tails, texts = self._source.head, self._source.tails, self._texts
        ids = self._new_ids(first, size) if self._new else self._old_ids(size)
        return [b'%b"%b"%b' % (head, name.encode(), tails[next(texts)]) for name in ids]

    def _new_ids(self, first: int, size: int) -> Sequence[str]:
        names = [f"{self._run}-{number:012d}" for number in range(first, first + size)]
        if self._prefixes is None:
            return names
        return [route_prefix(next(self._prefixes)) + name for name in names]

    def _old_ids(self, size: int) -> Sequence[str]:
        return [self._source.documents_generator.identity(next(self._old)) for _ in range(size)]

    def _draw(self, limit: int) -> Iterator[int]:
        while True:
            yield from self._rng.integers(0, limit, _BLOCK).tolist()


def _fields_json(document: dict[str, object], id_field: str) -> bytes:
    """Return a document as JSON without its opening brace and id."""
    rest = {key: value for key, value in document.items() if key != id_field}
    return b"," + orjson.dumps(rest)[1:]


def _checked_lines(path: Path) -> LineFile:
    try:
        found, offset = LineFile(path), 0
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                text = line.strip()
                if text:
                    _check(text, path.name, number)
                    found.note(offset)
                offset += len(line)
    except OSError as error:
        raise LoadError(
            LoadReason.NO_DOCUMENTS, f"cannot read document file {path}: {error}; check its volume"
        ) from error
    if not len(found):
        raise LoadError(
            LoadReason.NO_DOCUMENTS, f"file {path.name} has no document; add one per line"
        )
    return found


def _check(line: bytes, file: str, number: int) -> None:
    try:
        content = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise LoadError(LoadReason.MALFORMED_DOCUMENTS, f"{file} line {number}: {error}") from error
    if not isinstance(content, dict):
        raise LoadError(
            LoadReason.MALFORMED_DOCUMENTS,
            f"{file} line {number}: must be one JSON object, a document",
        )
