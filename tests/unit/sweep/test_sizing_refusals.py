"""Sizings that are refused, each with its field and a remedy."""

import pytest

from support.failing import refused
from support.resources.small_resource import REMOVE, Changes, create
from support.resources.small_sizing import DOCUMENTS, NODES, PRICES, RATE, REPEATS, SEARCH
from support.resources.small_sweep import parse_sweep, plan

OBJECTIVE = {"minimise": "Cost", "subjectTo": "Objectives"}
PROBES = {"name": "p", "field": "load.capacity.probeUsers", "values": [50, 60]}
RATES_ALONE = "requestsPerSecond and documentsPerSecond must go with minimise"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"spec.prices": REMOVE}, "prices must be set with objective.minimise"),
        (
            {"spec.prices": PRICES | {"perCoreHour": -1.0}},
            "prices: perCoreHour must be at least 0.0, leave it out where nothing is paid",
        ),
        ({"spec.prices": {"currency": "EUR"}}, "must be above 0"),
        ({"spec.prices": PRICES | {"currency": "a b"}}, "prices.currency"),
        ({"spec.repeats": REMOVE}, "repeats must be set with objective.minimise"),
        ({"spec.repeats": REPEATS | {"until": "Decided"}}, "{until: BestKnown"),
        ({"spec.objective": {"minimise": "Cost"}}, "minimise and subjectTo must go together"),
        ({"spec.objective": {"requestsPerSecond": 3}}, RATES_ALONE),
        ({"spec.objective": {"documentsPerSecond": 3}}, RATES_ALONE),
        (
            {"spec.objective": OBJECTIVE | {"requestsPerSecond": 3, "documentsPerSecond": 3}},
            "must not set more than one of requestsPerSecond, documentsPerSecond",
        ),
        (
            {"spec.objective": OBJECTIVE | {"documentsPerSecond": 0.0001}},
            "documentsPerSecond must be at least 0.001",
        ),
    ],
)
def test_what_admission_refuses(changes: Changes, message: str) -> None:
    assert message in "; ".join(refused(parse_sweep, _without(SEARCH | changes)))


def _without(changes: Changes) -> Changes:
    return {path: value for path, value in changes.items() if value is not REMOVE}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (SEARCH | {"spec.objective": OBJECTIVE}, "spec.objective.requestsPerSecond: must be set"),
        (
            DOCUMENTS | {"spec.objective": OBJECTIVE},
            "spec.objective.documentsPerSecond: must be set with load.capacity",
        ),
        (
            DOCUMENTS | {"spec.objective": SEARCH["spec.objective"]},
            "spec.objective.requestsPerSecond: must be documentsPerSecond, as load.capacity has",
        ),
        (
            SEARCH | {"spec.objective": DOCUMENTS["spec.objective"]},
            "spec.objective.documentsPerSecond: must be requestsPerSecond, as load.capacity has no",
        ),
        (
            RATE | {"spec.objective": OBJECTIVE | {"documentsPerSecond": 3}},
            "spec.objective.documentsPerSecond: must not be set without load.capacity",
        ),
        (RATE | {"spec.template.spec.objectives": []}, "objectives: must have one"),
        (
            RATE | {"spec.template.spec.load": {"steps": [{"users": 2, "durationSeconds": 9}]}},
            "load.steps: must have requestsPerSecond",
        ),
        (
            RATE | {"spec.objective": OBJECTIVE | {"requestsPerSecond": 3}},
            "must not be set without load.capacity",
        ),
        (
            SEARCH | {"spec.template.spec.load": {"capacity": {"searchFor": "Users"}}},
            "load.capacity.searchFor: must be RequestsPerSecond",
        ),
        (
            SEARCH | {"spec.axes": [NODES, PROBES]},
            "spec.axes[1] (p): must not be an axis of a search",
        ),
        (
            SEARCH | {"spec.template.spec.target.solrCloud.resources": {}},
            "target.solrCloud.resources.requests.cpu: must be set",
        ),
        (
            SEARCH | {"spec.prices": {"currency": "EUR", "perDiskGibibyteHour": 0.01}},
            "target.solrCloud.storage.persistent: must be set",
        ),
    ],
)
def test_what_is_refused_with_field_and_remedy(changes: Changes, message: str) -> None:
    assert message in "; ".join(plan(changes).problems)


def test_an_existing_solr_has_no_price() -> None:
    cheap = {"name": "seed", "field": "seed", "values": [1, 2]}
    changes = {k: v for k, v in SEARCH.items() if not k.endswith("resources")}
    problems = plan(changes | {"spec.axes": [cheap]}, create()).problems
    assert "target.solrCloud: must be set" in "; ".join(problems)
