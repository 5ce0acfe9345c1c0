"""Documents made from a seed."""

from collections.abc import Iterator
from typing import Any

from solrbench.api.v1alpha1.dataset import Dataset, Generator
from solrbench.dataset.sources.generator import GeneratedDocuments
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.source import ReadContext, source


@source(Generator)
def read_generated(
    member: Generator, dataset: Dataset, partition: Partition, _context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Return the generated documents of one pod."""
    indexed = dataset.indexed_generator or member
    return GeneratedDocuments(indexed, dataset.id_field).documents(partition)
