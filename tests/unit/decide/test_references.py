"""Which options of pods a benchmark may set."""

from typing import Any

import pytest

from solrbench.decide.checks.outcome import Action
from solrbench.decide.checks.pod_options import (
    DEFAULT_POD_OPTIONS,
    POD_OPTIONS,
    check_pod_options,
)
from support.resources.objects import stored
from support.resources.pod_options import EVERY_OPTION, with_options
from support.resources.small_resource import SOLR, Changes

SECRET = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "login", "key": "a"}}}
PLAIN = {"name": "B", "value": "b"}


def refused(changes: Changes, allowed: tuple[str, ...]) -> str:
    outcome = check_pod_options(stored(changes).spec, allowed)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("PodOptionNotAllowed", Action.FAIL)
    return outcome.message


def test_nothing_set_is_always_allowed() -> None:
    assert check_pod_options(stored().spec, ()) is None


def test_everything_that_is_set_may_be_allowed() -> None:
    assert check_pod_options(stored(with_options(EVERY_OPTION)).spec, POD_OPTIONS) is None


@pytest.mark.parametrize("option", EVERY_OPTION)
def test_an_option_that_is_not_allowed_is_named_with_the_remedy(option: str) -> None:
    others = tuple(each for each in POD_OPTIONS if each != option)
    message = refused(with_options({}, {option: EVERY_OPTION[option]}), others)
    assert message.startswith(f"spec.podOptions[1].{option} must not be set")
    assert f"add {option} to benchmarkPods.allowedOptions" in message


def test_what_lends_rights_is_off_by_default() -> None:
    message = refused(with_options({"serviceAccountName": "admin"}), DEFAULT_POD_OPTIONS)
    assert "serviceAccountName" in message
    message = refused(with_options({"env": [PLAIN, SECRET]}), DEFAULT_POD_OPTIONS)
    assert message.startswith("spec.podOptions[0].env[1].valueFrom.secretKeyRef must not be set")
    assert "add env.valueFrom.secretKeyRef to" in message
    assert (
        check_pod_options(stored(with_options({"env": [PLAIN]})).spec, DEFAULT_POD_OPTIONS) is None
    )
    assert {*POD_OPTIONS} - {*DEFAULT_POD_OPTIONS} == {
        "serviceAccountName",
        "env.valueFrom.secretKeyRef",
    }


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
