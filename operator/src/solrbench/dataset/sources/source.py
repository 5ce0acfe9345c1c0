"""What a source of documents is, and which of them reads which member of the API's `Dataset`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.sources.download_rules import DownloadRules
from solrbench.dataset.sources.partition import Partition

Member = TypeVar("Member", bound=Model)
Member_contra = TypeVar("Member_contra", bound=Model, contravariant=True)


@dataclass(frozen=True)
class ReadContext:
    """What reading needs besides the dataset.

    Attributes:
        folder: where a volume or ConfigMap with documents is mounted
        retry_policy: of downloads
        downloads: what they may reach

    """

    folder: Path
    retry_policy: RetryPolicy
    downloads: DownloadRules = field(default_factory=DownloadRules)


class Source(Protocol[Member_contra]):
    """Reads the documents that one member of the union `Dataset` describes."""

    def __call__(
        self, member: Member_contra, dataset: Dataset, partition: Partition, context: ReadContext, /
    ) -> Iterator[dict[str, Any]]:
        """Return the documents of `partition`, each with its id, read lazily.

        Raises:
            IndexingError: they cannot be read

        """


SOURCES: dict[type[Model], Source[Any]] = {}
"""The source of each member; filled by `source`."""


def source(member: type[Member]) -> Callable[[Source[Member]], Source[Member]]:
    """Return a decorator that makes a function the source of a member of `Dataset`.

    Raises:
        ValueError: the member has a source

    """

    def register(function: Source[Member]) -> Source[Member]:
        if member in SOURCES:
            raise ValueError(f"{member.__name__} has a source: {SOURCES[member]}")
        SOURCES[member] = function
        return function

    return register
