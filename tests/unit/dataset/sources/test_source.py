"""The contract between the API's union of sources and the function that reads them."""

import re
from pathlib import Path
from typing import Any, ClassVar

import pytest

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.sources.documents import ReadContext, read_documents
from solrbench.dataset.sources.partition import Partition
from solrbench.reasons.indexing import IndexingReason

WHOLE = Partition(0, 1, 10)
CONTEXT = ReadContext(Path("/nowhere"), RetryPolicy(0))
MEMBERS: dict[str, dict[str, Any]] = {
    "generator": {"documents": 1},
    "http": {"urls": ["http://127.0.0.1:9/books.json"]},
    "persistentVolumeClaim": {"claimName": "books", "paths": ["books.json"]},
    "configMap": {"name": "books", "keys": ["books.json"]},
}


class Bucket(Model):
    """A source that does not exist."""

    bucket: str


class BucketDataset(Dataset):
    """An API with one source more."""

    s3: Bucket | None = None

    rules: ClassVar = (exactly_one("generator", "s3"),)


def test_every_member_of_the_union_is_covered() -> None:
    assert set(re.findall(r"has\(self\.(\w+)\)", Dataset.rules[0].cel)) == set(MEMBERS)


@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_of_the_union_has_a_source(name: str) -> None:
    dataset = Dataset.model_validate({name: MEMBERS[name]})
    reason = None
    try:
        next(read_documents(dataset, WHOLE, CONTEXT))
    except IndexingError as error:
        reason = error.reason
    assert reason is not IndexingReason.INVALID_PLAN


def test_a_member_without_a_source_ends_the_run() -> None:
    dataset = BucketDataset.model_validate({"s3": {"bucket": "books"}})
    with pytest.raises(IndexingError, match="no source that this image knows") as caught:
        read_documents(dataset, WHOLE, CONTEXT)
    assert caught.value.reason is IndexingReason.INVALID_PLAN
    assert caught.value.permanent
