"""The generated documents that one pod of the index Job sends."""

from collections.abc import Iterator
from typing import Any

from solrbench.dataset.sources.partition import Slice
from solrbench.plan.document_generator import BLOCK, DocumentMaker

__all__ = ["BLOCK", "DocumentGenerator"]


class DocumentGenerator(DocumentMaker):
    """Makes the documents of one `Generator`."""

    def documents(self, part: Slice) -> Iterator[dict[str, Any]]:
        """Return the documents of one pod in order."""
        for positions in part.ranges(self._spec.documents):
            yield from self.range(positions)
