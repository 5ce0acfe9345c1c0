"""Which options of pods and names of objects a benchmark may ask for."""

from typing import Any

import pytest

from solrbench.decide.references import (
    DEFAULT_POD_OPTIONS,
    POD_OPTIONS,
    ReferredObject,
    check_object,
    check_objective_steps,
    check_spec,
)
from solrbench.errors import PermanentError, TemporaryError
from support.narrowing import not_none
from support.resources.objects import stored
from support.resources.outcomes import assert_outcome
from support.resources.pod_options import EVERY_OPTION, with_options
from support.resources.small_resource import SOLR, Changes, step

OBJECTIVE = {"name": "fast", "responseTime": {"maxMilliseconds": 1}}
STEPS = [step(name="low"), {"users": 5, "requests": 1}]


@pytest.mark.parametrize("names", [[], ["low"], ["users-5", "low"]])
def test_steps_that_there_are_may_be_named(names: list[str]) -> None:
    objectives = [OBJECTIVE | {"steps": names}]
    spec = stored({"spec.load.steps": STEPS, "spec.objectives": objectives}).spec
    assert check_objective_steps(spec) is None


def test_another_step_is_refused_with_those_that_there_are() -> None:
    objectives = [OBJECTIVE, OBJECTIVE | {"name": "two", "steps": ["low", "users-6"]}]
    spec = stored({"spec.load.steps": STEPS, "spec.objectives": objectives}).spec
    found = not_none(check_objective_steps(spec))
    assert found.reason == "ObjectiveStepNotFound"
    assert found.message == (
        "spec.objectives[1].steps names users-6, which is not in load.steps (low, users-5);"
        " name one of these, or leave steps out"
    )


SECRET = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "login", "key": "a"}}}
PLAIN = {"name": "B", "value": "b"}


def refused(changes: Changes, allowed: tuple[str, ...]) -> str:
    outcome = check_spec(stored(changes).spec, allowed)
    assert_outcome(outcome, "PodOptionNotAllowed", PermanentError)
    return str(outcome and outcome.message)


def test_nothing_is_always_allowed_and_everything_may_be() -> None:
    assert check_spec(stored().spec, ()) is None
    assert check_spec(stored(with_options(EVERY_OPTION)).spec, POD_OPTIONS) is None


@pytest.mark.parametrize("option", EVERY_OPTION)
def test_an_option_that_is_not_allowed_is_named_with_the_remedy(option: str) -> None:
    others = tuple(each for each in POD_OPTIONS if each != option)
    message = refused(with_options({}, {option: EVERY_OPTION[option]}), others)
    assert message.startswith(f"spec.podOptions[1].{option} must not be set")
    assert f"add {option} to benchmarkPods.allowedOptions" in message


ANY_NODE = {"key": "cores", "operator": "Gt", "values": ["8", "16"]}
NODES = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [ANY_NODE]}]
    }
}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"labels": {"team": "my team"}},
            "spec.podOptions[0].labels: team must be letters, digits, '-', '_' and '.', and",
        ),
        ({"nodeSelector": {"pool": "-"}}, "spec.podOptions[0].nodeSelector: pool must be letters"),
        (
            {"nodeSelector": {"a pool": "b"}},
            "spec.podOptions[0].nodeSelector: must have keys such as example.org/team, not 'a ",
        ),
        (
            {"topologySpreadConstraints": [{}, {}]},
            "spec.podOptions[0].topologySpreadConstraints: must differ in topologyKey or",
        ),
        (
            {"affinity": {"nodeAffinity": NODES}},
            "spec.podOptions[0].affinity: cores must have one whole number with Gt or Lt",
        ),
    ],
)
def test_an_option_that_no_pod_can_have_is_refused_before_pods_are_made(
    options: dict[str, Any], message: str
) -> None:
    outcome = check_spec(stored(with_options(options)).spec, POD_OPTIONS)
    assert_outcome(outcome, "InvalidSpec", PermanentError, message)


def test_labels_of_nodes_for_solr_are_checked_too() -> None:
    spec = stored({f"{SOLR}.nodeSelector": {"pool": "a/b"}}).spec
    outcome = check_spec(spec, POD_OPTIONS)
    assert_outcome(outcome, "InvalidSpec", PermanentError, "solrCloud.nodeSelector: pool must be")


@pytest.mark.parametrize("path", ["warmUpQueries", "mix[0].transaction.inputs"])
def test_routed_queries_need_prefixes_of_ids(path: str) -> None:
    routed = {"generated": {"routedPercent": 50}}
    mix = {"transaction": {"inputs": routed, "requests": [{"name": "b"}]}}
    changes: Changes = {"spec.workload": {"mix": [{"name": "a"} | mix]}}
    if path == "warmUpQueries":
        changes = {"spec.workload.warmUpQueries": routed}
    outcome = check_spec(stored(changes).spec, POD_OPTIONS)
    message = rf"spec.workload.{path}.generated.routedPercent: must go with"
    assert_outcome(outcome, "InvalidSpec", PermanentError, message)
    prefixes = {"spec.dataset.generator.routePrefixes": 10}
    assert check_spec(stored(changes | prefixes).spec, POD_OPTIONS) is None


def test_what_lends_rights_is_off_by_default() -> None:
    message = refused(with_options({"serviceAccountName": "admin"}), DEFAULT_POD_OPTIONS)
    assert "serviceAccountName" in message
    message = refused(with_options({"env": [PLAIN, SECRET]}), DEFAULT_POD_OPTIONS)
    assert message.startswith("spec.podOptions[0].env[1].valueFrom.secretKeyRef must not be set")
    assert "add env.valueFrom.secretKeyRef to" in message
    assert check_spec(stored(with_options({"env": [PLAIN]})).spec, DEFAULT_POD_OPTIONS) is None
    lends_rights = {"serviceAccountName", "env.valueFrom.secretKeyRef"}
    assert {*POD_OPTIONS} - {*DEFAULT_POD_OPTIONS} == lends_rights


@pytest.mark.parametrize(
    ("field", "value", "option"),
    [
        ("nodeSelector", {"disk": "ssd"}, "nodeSelector"),
        ("tolerations", [{"operator": "Exists"}], "tolerations"),
        ("topologySpread", {"topologyKey": "zone"}, "topologySpreadConstraints"),
    ],
)
def test_placement_of_the_solr_cloud_is_no_way_around(field: str, value: Any, option: str) -> None:
    others = tuple(each for each in POD_OPTIONS if each != option)
    message = refused({f"{SOLR}.{field}": value}, others)
    assert message.startswith(f"spec.target.solrCloud.{field} must not be set")


QUERIES = "spec.workload.queries.configMap"
CLAIM = "spec.dataset.persistentVolumeClaim"
MINE = ReferredObject(QUERIES, "ConfigMap", "mine", "search")


@pytest.mark.parametrize(
    ("found", "reason", "text"),
    [
        (None, "ConfigMapNotFound", "there is no ConfigMap mine in namespace search; create it"),
        (
            {"data": {"b": ""}, "binaryData": {"a": ""}},
            "ConfigMapKeyNotFound",
            "ConfigMap mine has no key queries.txt; it has a, b; add it",
        ),
        ({}, "ConfigMapKeyNotFound", "ConfigMap mine has no key queries.txt; it has none; add it"),
    ],
)
def test_missing_config_maps_and_keys_are_waited_for(
    found: dict[str, Any] | None, reason: str, text: str
) -> None:
    outcome = check_object(MINE, ["queries.txt"], found)
    assert_outcome(outcome, reason, TemporaryError)
    assert not_none(outcome).message == f"{QUERIES}: {text}"


def test_nothing_is_waited_for_where_objects_and_keys_exist() -> None:
    found = {"data": {"more": ""}, "binaryData": {"queries.txt": ""}}
    assert check_object(MINE, ["queries.txt"], found) is None
    claim = ReferredObject(CLAIM, "PersistentVolumeClaim", "data", "search")
    assert check_object(claim, [], {"spec": {}}) is None


LARGE = {"spec.collection.shards": 2, "spec.collection.router": {"field": "category_s"}}
REPLACED = {"name": "write", "weight": 1, "updates": {"generated": {"ids": "Existing"}}}
PROXIED = [{"name": "nodes", "endpoint": "Nodes"}, {"name": "service", "endpoint": "Service"}]
NO_FAILURE = {"name": "none-fails", "failures": {"maxPercent": 0}}
HTTP = {"spec.workload.queries": {"configMap": {"name": "q"}}}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"spec.target.variants": PROXIED, "spec.comparison": {"primary": "TimeUntilFoundP95"}},
            "spec.comparison.primary: TimeUntilFoundP95 must go with load.visibility",
        ),
        (
            {"spec.target.variants": PROXIED, "spec.comparison": {"primary": "DocumentsPerSecond"}},
            "spec.comparison.primary: DocumentsPerSecond must go with indexing of a step",
        ),
        (
            {"spec.load": {"workers": 10, "capacity": {"maxInFlight": 4}}}
            | {"spec.objectives": [OBJECTIVE]},
            "spec.load.capacity.maxInFlight: must be at least 10",
        ),
        ({"spec.objectives": [NO_FAILURE]}, "none-fails must have failures.maxPercent above 0"),
        (LARGE | {"spec.workload": {"mix": [REPLACED]}}, "generated.ids: Existing must go with"),
        (
            {"spec.load.visibility": {"fields": {"id": "42"}}},
            "spec.load.visibility.fields: must not have id",
        ),
        ({"spec.dataset.expectedDocuments": 7}, "spec.dataset.expectedDocuments: must be"),
        *(
            (HTTP | {"spec.dataset": {"http": {"urls": [url]}}}, "http.urls[0]: must have a host")
            for url in ("http://a.example:80a/x.json", "http://a.example:99999/x.json")
        ),
    ],
)
def test_what_contradicts_itself_is_refused_before_anything_starts(
    changes: Changes, problem: str
) -> None:
    outcome = check_spec(stored(changes).spec, POD_OPTIONS)
    assert_outcome(outcome, "InvalidSpec", PermanentError, problem)
