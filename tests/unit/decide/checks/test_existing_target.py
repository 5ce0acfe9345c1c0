"""The SolrCloud that a spec names as its existing target."""

from typing import Any

import pytest

from solrbench.decide.checks.existing_target import EXISTING_CLOUD_CHECKS, ExistingSolrCloud
from solrbench.decide.checks.outcome import Action, first_outcome


def cloud(*ready: bool) -> dict[str, Any]:
    nodes = [
        {"internalAddress": f"http://{name}.nodes.search:8983", "ready": each}
        for name, each in zip("abc", ready, strict=False)
    ]
    return {"status": {"solrNodes": nodes}}


def test_cloud_with_all_nodes_ready() -> None:
    found = ExistingSolrCloud("books", "search", served=True, body=cloud(True, True))
    assert first_outcome(EXISTING_CLOUD_CHECKS, found) is None
    assert found.node_urls == [
        "http://a.nodes.search:8983/solr",
        "http://b.nodes.search:8983/solr",
    ]


@pytest.mark.parametrize(
    ("served", "body", "reason", "message"),
    [
        (False, None, "SolrOperatorMissing", "install the Solr Operator, or set urls"),
        (True, None, "SolrCloudNotFound", "no SolrCloud books in namespace search"),
        (True, {}, "SolrCloudNotReady", "0 of 0 nodes of books are ready"),
        (True, {"status": None}, "SolrCloudNotReady", "0 of 0 nodes"),
        (True, cloud(True, False, True), "SolrCloudNotReady", "2 of 3 nodes of books are ready"),
    ],
)
def test_cloud_that_is_not_there_yet_is_waited_for(
    served: bool, body: dict[str, Any] | None, reason: str, message: str
) -> None:
    found = ExistingSolrCloud("books", "search", served, body)
    outcome = first_outcome(EXISTING_CLOUD_CHECKS, found)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (reason, Action.WAIT)
    assert message in outcome.message
