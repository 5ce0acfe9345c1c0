"""Diagnostics of Solr's nodes during the step runs of one repeat.

Nothing depends on them: where a node does not respond, the file says so.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from solrbench.results.model.diagnostics import DiagnosticFile

MOST_NODES = 8
"""Nodes of which files are taken, so that a document of a step run stays small."""

MAX_TEXT_BYTES = 1 << 20
"""Dumps and logs of a step run, packed, base64; those after that are left out."""

MAX_RECORDING_BYTES = 3 << 20
"""Recordings of a step run, base64: two of 1 MiB are 2.7 MiB."""


class DiagnosticsSource(Protocol):
    """One kind of files."""

    def begin(self) -> None:
        """Begin to take them anew; a step run begins to be measured."""

    def end(self) -> list[DiagnosticFile]:
        """Take no more; return those since the begin."""


class DiagnosticsRecorder:
    """Takes files from all sources in the step runs of one repeat."""

    def __init__(self, repeat: int, sources: Sequence[DiagnosticsSource]) -> None:
        self._repeat = repeat
        self._sources = sources
        self._is_taking = False

    def mark(self, repeat: int) -> None:
        """Begin, if a step run is of the repeat that is wanted."""
        self._is_taking = repeat == self._repeat
        if self._is_taking:
            for source in self._sources:
                source.begin()

    def end(self) -> list[DiagnosticFile]:
        """Return what was taken since the mark; no more is."""
        if not self._is_taking:
            return []
        self._is_taking = False
        return limit_size([file for source in self._sources for file in source.end()])


def limit_size(files: Sequence[DiagnosticFile]) -> list[DiagnosticFile]:
    """Return the first texts and the first recordings, as many as the limits hold."""
    texts = _first([each for each in files if each.is_text], MAX_TEXT_BYTES)
    recordings = _first([each for each in files if not each.is_text], MAX_RECORDING_BYTES)
    return [*texts, *recordings]


def _first(files: Sequence[DiagnosticFile], most: int) -> list[DiagnosticFile]:
    sizes = accumulate(len(each.content) for each in files)
    return [file for file, size in zip(files, sizes, strict=True) if size <= most]
