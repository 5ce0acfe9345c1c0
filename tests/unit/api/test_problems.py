"""What is wrong, as a line with path and remedy."""

import pytest
from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from support.resources.small_resource import STEP, Changes, resource


def lines(changes: Changes) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        SolrBenchmark.parse(resource(changes))
    return problems(caught.value)


def test_path_reads_as_in_messages_of_the_api_server() -> None:
    assert lines({f"{STEP}.users": 0}) == ["spec.load.steps[0].users: must be at least 1"]


def test_our_own_message_stands_alone() -> None:
    assert lines({"spec.target.solrCloud.heap": "2g"}) == [
        "spec.target.solrCloud.heap: must be a whole number of Mi or Gi, such as 512Mi or 2Gi"
    ]


def test_a_rule_on_the_whole_resource_has_no_path() -> None:
    assert lines({"metadata.name": "a.b"}) == [
        "metadata.name must start with a letter and must not contain dots"
    ]


def test_each_problem_has_a_line() -> None:
    assert len(lines({f"{STEP}.users": 0, "spec.target.solrCloud.nodes": 0})) == 2
