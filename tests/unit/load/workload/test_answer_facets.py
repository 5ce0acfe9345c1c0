"""Facets of responses as digests: ties in any order, and what shards only estimate."""

from typing import Any

import pytest

from solrbench.load.workload.answer_facets import read_facets


def digests(content: dict[str, Any]) -> dict[str, str]:
    return {name: facet.digest for name, facet in read_facets(content).items()}


def of_json(*buckets: tuple[str, int]) -> dict[str, Any]:
    found = [{"val": value, "count": count} for value, count in buckets]
    return {"facets": {"count": 9, "by_tag": {"buckets": found}}}


def of_terms(*buckets: tuple[str, int]) -> dict[str, Any]:
    flat = [each for bucket in buckets for each in bucket]
    return {"facet_counts": {"facet_fields": {"tag_s": flat}}}


def of_pivots(*buckets: tuple[str, int]) -> dict[str, Any]:
    found = [{"field": "tag_s", "value": value, "count": count} for value, count in buckets]
    return {"facet_counts": {"facet_pivot": {"tag_s,shop_s": found}}}


@pytest.mark.parametrize("response", [of_json, of_terms, of_pivots])
def test_ties_that_follow_each_other_may_be_in_any_order(response: Any) -> None:
    one = digests(response(("a", 3), ("b", 2), ("c", 2)))
    assert digests(response(("a", 3), ("c", 2), ("b", 2))) == one
    assert digests(response(("b", 2), ("c", 2), ("a", 3))) != one
    assert digests(response(("a", 3), ("b", 2), ("c", 1))) != one


def test_ties_of_buckets_within_buckets_are_sorted() -> None:
    def nested(*inner: tuple[str, int]) -> dict[str, Any]:
        content = of_json(("a", 3))
        (bucket,) = content["facets"]["by_tag"]["buckets"]
        bucket |= of_json(*inner)["facets"]
        return content

    assert digests(nested(("x", 1), ("y", 1))) == digests(nested(("y", 1), ("x", 1)))


def test_what_shards_may_only_estimate_is_marked() -> None:
    content = of_json(("a", 3)) | of_terms(("a", 3))
    content["stats"] = {"stats_fields": {"exact": {"sum": 1.0}, "tail": {"percentiles": [1.0]}}}
    found = {name: each.approximate for name, each in read_facets(content).items()}
    assert found == {"by_tag": True, "tag_s": False, "stats exact": False, "stats tail": True}
