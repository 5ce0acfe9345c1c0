"""Fields that a version of Solr does not know."""

from typing import Any

import pytest

from solrbench.decide.version_fields import version_problems
from support.resources.objects import stored
from support.resources.small_resource import SOLR

QUERIES = {"configMap": {"name": "q", "key": "q.txt"}}
PYTHON = {"name": "a", "queries": QUERIES, "parameters": {"wt": "python"}}
REQUEST = {"name": "first", "parameters": {"wt": "xlsx"}}
FIELDS = [
    ({"spec.workload.parameters": {"wt": "php"}}, "workload.parameters: must not have wt=php"),
    (
        {"spec.workload.parameters": {"stream.body": "x"}},
        "workload.parameters: must not have stream.body, Solr 10.0 does not know it any more",
    ),
    ({"spec.workload": {"mix": [PYTHON]}}, "workload.mix[0].parameters: must not have wt=python"),
    (
        {"spec.workload": {"mix": [{"name": "a", "transaction": {"requests": [REQUEST]}}]}},
        "workload.mix[0].transaction.requests[0].parameters: must not have wt=xlsx",
    ),
    (
        {f"{SOLR}.solrOpts": "-Dsolr.modules=ltr,llm"},
        "target.solrCloud.solrOpts: must not have the module llm",
    ),
    (
        {f"{SOLR}.solrOpts": "-Djava.security.manager=allow"},
        "target.solrCloud.solrOpts: must not have -Djava.security.manager",
    ),
    (
        {"spec.podOptions": [{"env": [{"name": "SOLR_MODULES", "value": "hdfs"}]}]},
        "podOptions[0].env[0]: must not have the module hdfs",
    ),
    (
        {"spec.podOptions": [{"env": [{"name": "SOLR_HOST_ADVERTISE", "value": "a"}]}]},
        "podOptions[0].env[0]: must not be SOLR_HOST_ADVERTISE, which the operator sets",
    ),
]
TAG = f"{SOLR}.image"


@pytest.mark.parametrize(("changes", "problem"), FIELDS)
def test_field_is_refused_by_name_on_the_version_without_it(
    changes: dict[str, Any], problem: str
) -> None:
    (found,) = version_problems(stored(changes | {TAG: {"tag": "10.0.0"}}).spec)
    assert found.startswith(f"spec.{problem}")
    for tag in ("9.10.1", "own"):
        assert version_problems(stored(changes | {TAG: {"tag": tag}}).spec) == []


def test_settings_that_every_version_knows_pass() -> None:
    changes = {
        TAG: {"tag": "10.0.0"},
        f"{SOLR}.solrOpts": "-Dsolr.modules=ltr",
        "spec.workload.parameters": {"wt": "javabin"},
        "spec.podOptions": [
            {"components": ["LoadWorker"], "env": [{"name": "SOLR_MODULES", "value": "hdfs"}]}
        ],
    }
    assert version_problems(stored(changes).spec) == []
