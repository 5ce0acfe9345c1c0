"""The contract between the API's union of sources and those that read them."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, get_args

import pytest

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.sources.documents import read_documents, sources
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.source import SOURCES, ReadContext, source
from solrbench.reasons.indexing import IndexingReason

WHOLE = Partition(0, 1, 10)
AROUND = ReadContext(Path("/nowhere"), RetryPolicy(0))


class Bucket(Model):
    """A source that does not exist."""

    bucket: str


class BucketDataset(Dataset):
    """An API with one source more."""

    s3: Bucket | None = None

    rules: ClassVar = (exactly_one("generator", "s3"),)


def union_members() -> set[type[Model]]:
    """Return the models of the fields of which the API wants exactly one."""
    rule = Dataset.rules[0]
    names = set(re.findall(r"has\(self\.(\w+)\)", rule.cel))
    fields = [field for field in Dataset.model_fields.values() if field.alias in names]
    assert len(fields) == len(names) > 0
    return {kind for each in fields for kind in get_args(each.annotation)} - {NoneType}


def test_each_member_of_the_union_has_a_source() -> None:
    assert set(sources()) == union_members()


def test_a_new_source_is_a_member_and_a_function() -> None:
    sources()
    try:

        @source(Bucket)
        def read_bucket(
            member: Bucket, dataset: Dataset, partition: Partition, context: ReadContext
        ) -> Iterator[dict[str, Any]]:
            assert (partition, context) == (WHOLE, AROUND)
            yield {dataset.id_field: member.bucket}

        dataset = BucketDataset.model_validate({"s3": {"bucket": "books"}})
        assert list(read_documents(dataset, WHOLE, AROUND)) == [{"id": "books"}]
    finally:
        SOURCES.pop(Bucket, None)


def test_a_member_has_one_source() -> None:
    member, read = next(iter(sources().items()))
    with pytest.raises(ValueError, match="has a source"):
        source(member)(read)
    assert sources()[member] is read


def test_a_member_without_a_source_ends_the_run() -> None:
    dataset = BucketDataset.model_validate({"s3": {"bucket": "books"}})
    with pytest.raises(IndexingError, match="no source that this image knows") as caught:
        read_documents(dataset, WHOLE, AROUND)
    assert caught.value.reason is IndexingReason.INVALID_PLAN
    assert caught.value.permanent
