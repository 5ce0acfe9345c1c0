"""The generated documents that one pod of the index Job sends."""

from collections.abc import Iterator
from typing import Any

from solrbench.dataset.sources.partition import Partition
from solrbench.plan.document_generator import BLOCK, DocumentGenerator

__all__ = ["BLOCK", "DocumentGenerator"]


class GeneratedDocuments(DocumentGenerator):
    """Makes the documents of one `Generator`."""

    def documents(self, part: Partition) -> Iterator[dict[str, Any]]:
        """Return the documents of one pod in order."""
        for positions in part.ranges(self._spec.documents):
            yield from self.range(positions)
