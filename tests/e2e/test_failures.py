"""A failure is reported in a condition, with its location and remedy, and leaves no pods."""

import json
from collections.abc import Callable

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, config_map, small

Run = Callable[..., str]
OWN_QUERIES = {"queries": {"configMap": {"name": "some-queries"}}}
SOON = 60.0
"""Seconds within which a pod's problem must be reported."""
NO_IMAGE = {"image": {"repository": "localhost/solrbench/none", "tag": "1"}}


def check_failure(name: str, reason: str, *words: str) -> None:
    """Check why a benchmark failed and what its message names."""
    succeeded = kube.condition(name, "Succeeded")
    assert succeeded["reason"] == reason
    assert [each for each in words if each not in succeeded["message"]] == [], succeeded


@pytest.mark.parametrize(
    ("name", "changes", "reason", "words"),
    [
        ("no-image", NO_IMAGE, "ImagePullError", ("no-image-solr-0", "image's repository")),
        (
            "too-small",
            {"resources": {"requests": {"memory": "4096Gi"}, "limits": {"memory": "4096Gi"}}},
            "Unschedulable",
            ("too-small-solr-0", "memory", "lower resources.requests"),
        ),
        (
            "crashing",
            {"solrOpts": "-XX:+NoSuchFlag"},
            "CrashLoopBackOff",
            ("crashing-solr-0", "kubectl logs"),
        ),
        (
            "out-of-memory",
            {
                "solrOpts": "-XX:+AlwaysPreTouch",
                "resources": {
                    "requests": {"cpu": "100m", "memory": "640Mi"},
                    "limits": {"memory": "640Mi"},
                },
            },
            "OOMKilled",
            ("out-of-memory-solr-0", "raise resources.limits.memory or lower heap"),
        ),
    ],
)
def test_pod_problem_is_reported_within_a_minute(
    run: Run, name: str, changes: dict[str, object], reason: str, words: tuple[str, ...]
) -> None:
    run(small(name, target__solrCloud=SMALL_SOLR | changes))
    message = kube.wait_for_reason(name, "TargetReady", reason, SOON)
    assert all(word in message for word in words), message
    check_failure(name, reason)


def test_permanent_problem_ends_at_the_deadline(run: Run) -> None:
    target, deadlines = SMALL_SOLR | NO_IMAGE, {"provisioningSeconds": 40}
    name = run(small("late", target__solrCloud=target, deadlines=deadlines, cleanup="Always"))
    status = kube.wait_for_end(name, SOON)
    assert status["phase"] == "Failed"
    evidence = status["report"]["evidence"]
    check_failure(name, "DeadlineExceeded", "ImagePullError", evidence)
    kube.wait_for_reason(name, "CleanedUp", "CleanedUp", SOON)
    assert kube.owned(name) == [f"configmaps/{evidence}"]


def test_missing_config_map_is_named_and_may_come_later(run: Run) -> None:
    queries = {"configMap": {"name": "late-queries", "key": "queries.txt"}}
    name = run(small("waiting", workload={"queries": queries}))
    message = kube.wait_for_reason(name, "Accepted", "ConfigMapNotFound", SOON)
    assert "spec.workload.queries.configMap" in message
    assert "late-queries" in message
    assert kube.owned(name) == []
    kube.apply(config_map("late-queries", other__txt="solr"))
    message = kube.wait_for_reason(name, "Accepted", "ConfigMapKeyNotFound", SOON)
    assert "queries.txt" in message
    kube.apply(config_map("late-queries", queries__txt="solr"))
    kube.wait_for_reason(name, "Accepted", "Accepted", SOON)
    kube.kubectl("delete", "configmap", "late-queries")


def test_config_set_that_does_not_load_is_refused_with_solrs_words(run: Run) -> None:
    broken = config_map(
        "broken-config-set",
        solrconfig__xml="<config><luceneMatchVersion>9.10</luceneMatchVersion></config>",
        **{"managed-schema__xml": '<schema name="x" version="1.6"><field name="id"/></schema>'},
    )
    config_set = {"configMap": {"name": "broken-config-set"}}
    name = run(small("bad-config-set", collection__configSet=config_set), broken)
    status = kube.wait_for_end(name, 240)
    assert status["phase"] == "Failed"
    check_failure(name, "CollectionRefused", "configSet")
    kube.kubectl("delete", "configmap", "broken-config-set")


def test_missing_dataset_is_reported_with_its_address(run: Run, web_server: str) -> None:
    url = f"{web_server}/none.jsonl"
    name = run(small("not-there", dataset={"http": {"urls": [url]}}, workload=OWN_QUERIES))
    kube.wait_for_end(name, 240)
    check_failure(name, "DatasetNotFound", url, "404")
    assert kube.condition(name, "DataIndexed")["status"] == "False"


def test_malformed_document_is_reported_with_its_line(run: Run) -> None:
    lines = [json.dumps({"id": str(i), "title_t": "one"}) for i in range(500)]
    lines[311] = '{"id": "311", "title_t": "unfinished'
    data = config_map("malformed-data", docs__jsonl="\n".join(lines))
    dataset = {"configMap": {"name": "malformed-data", "keys": ["docs.jsonl"]}}
    name = run(small("malformed", dataset=dataset, workload=OWN_QUERIES), data)
    kube.wait_for_end(name, 240)
    check_failure(name, "MalformedDocument", "docs.jsonl", "312")
    kube.kubectl("delete", "configmap", "malformed-data")


@pytest.fixture(autouse=True, scope="module")
def queries() -> None:
    kube.apply(config_map("some-queries", queries__txt="one\ntwo\n"))
