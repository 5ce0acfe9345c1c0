"""Objects that a spec refers to."""

import pytest

from solrbench.decide.checks.outcome import Action, first_outcome
from solrbench.decide.checks.references import (
    REFERENCE_CHECKS,
    ClaimReference,
    ConfigMapReference,
    References,
)

QUERIES = "spec.workload.queries.configMap"
CLAIM = "spec.dataset.persistentVolumeClaim"


def config_map(*keys: str, missing: bool = False) -> ConfigMapReference:
    present = None if missing else frozenset(keys)
    return ConfigMapReference(QUERIES, "mine", ("queries.txt",), present)


@pytest.mark.parametrize(
    ("found", "reason", "text"),
    [
        (References("search", (), ()), None, ""),
        (
            References(
                "search",
                (config_map("queries.txt", "more"),),
                (ClaimReference(CLAIM, "data", exists=True),),
            ),
            None,
            "",
        ),
        (
            References("search", (config_map(missing=True),), ()),
            "ConfigMapNotFound",
            f"{QUERIES}: there is no ConfigMap mine in namespace search; create it",
        ),
        (
            References("search", (config_map("b", "a"),), ()),
            "ConfigMapKeyNotFound",
            f"{QUERIES}: ConfigMap mine has no key queries.txt; it has a, b; add it",
        ),
        (
            References("search", (config_map(),), ()),
            "ConfigMapKeyNotFound",
            f"{QUERIES}: ConfigMap mine has no key queries.txt; it has none; add it",
        ),
        (
            References("search", (), (ClaimReference(CLAIM, "data", exists=False),)),
            "VolumeClaimNotFound",
            f"{CLAIM}: there is no PersistentVolumeClaim data in namespace search; create it",
        ),
    ],
)
def test_missing_objects_are_waited_for(found: References, reason: str | None, text: str) -> None:
    outcome = first_outcome(REFERENCE_CHECKS, found)
    assert (None if outcome is None else outcome.reason) == reason
    if outcome is not None:
        assert (outcome.message, outcome.action) == (text, Action.WAIT)
