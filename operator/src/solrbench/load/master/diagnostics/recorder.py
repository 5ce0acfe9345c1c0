"""Diagnostics of Solr's nodes during the step runs of one repeat.

Nothing depends on them: where a node does not respond, the file says so.
"""

from collections.abc import Sequence
from typing import Protocol

from solrbench.results.model.diagnostics import DiagnosticFile

MOST_NODES = 8
"""Nodes of which files are taken, so that a document of a step run stays small."""

MAX_BYTES = 1 << 20
"""Packed files of a step run; those after that are left out."""


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
    """Return the first files, as many as `MAX_BYTES` hold."""
    kept, size = [], 0
    for file in files:
        size += len(file.content)
        if size > MAX_BYTES:
            break
        kept.append(file)
    return kept
