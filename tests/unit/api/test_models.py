"""pydantic's verdict on the tables that the API server validates in the integration tests."""

from typing import Any

import pytest
from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from support.resources.bad.rows import Bad
from support.resources.bad_resources import BAD
from support.resources.good_resources import GOOD
from support.resources.small_resource import Changes, resource


def test_the_base_is_good() -> None:
    assert SolrBenchmark.parse(resource()).key == "default/base"


def test_rows_have_different_names() -> None:
    assert len({row.name for row in BAD}) == len(BAD) >= 40


@pytest.mark.parametrize("row", BAD, ids=lambda row: row.name)
def test_bad_resource_is_refused_with_field_and_remedy(row: Bad) -> None:
    with pytest.raises(ValidationError) as caught:
        SolrBenchmark.parse(resource(row.changes))
    found = problems(caught.value)
    assert any(row.field in line and row.local in line for line in found), found


@pytest.mark.parametrize("changes", GOOD.values(), ids=GOOD.keys())
def test_good_resource_is_accepted(changes: Changes) -> None:
    SolrBenchmark.parse(resource(changes))


def test_stored_form_is_read_back_unchanged() -> None:
    benchmark = SolrBenchmark.parse(resource())
    stored: dict[str, Any] = benchmark.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert SolrBenchmark.parse(stored) == benchmark
