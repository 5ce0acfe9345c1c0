"""The documents of one pod, whatever the source."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.sources import connectors
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.source import SOURCES, ReadContext, Source
from solrbench.reasons.indexing import IndexingReason


def read_documents(
    dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Return the documents of `partition`, each with its id, read lazily.

    Raises:
        IndexingError: a file is missing, unreachable, of unknown format, malformed; or there is
            no document in the whole dataset

    """
    registered = sources()
    for field in type(dataset).model_fields:
        member = getattr(dataset, field)
        if type(member) in registered:
            return registered[type(member)](member, dataset, partition, context)
    message = "spec.dataset has no source that this image knows; use the image of the operator"
    raise IndexingError(IndexingReason.INVALID_PLAN, message, permanent=True)


@cache
def sources() -> Mapping[type[Model], Source[Any]]:
    """Return the source of each member of `Dataset`: those of all modules of `connectors`."""
    for module in pkgutil.iter_modules(connectors.__path__, f"{connectors.__name__}."):
        importlib.import_module(module.name)
    return SOURCES
