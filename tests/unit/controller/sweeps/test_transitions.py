"""Changes of any field of a sweep at any time: each is shown, and none stops it for ever."""

import copy
import random
from typing import Any

import pytest

from solrbench.api.crd import build_crd
from solrbench.api.kinds import SWEEP
from support.fakes.operator_driver import SweepDriver, condition
from support.resources.small_resource import REMOVE, change
from support.resources.small_sweep import sweep_of
from support.transitions.fields import draw_value, list_fields

Body = dict[str, Any]
SPEC = build_crd(SWEEP)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
FIELDS = list(list_fields(SPEC))
OWN = [each for each in FIELDS if not each[0].startswith("spec.template")]
TRANSITIONS = 20
"""With each seed. What the API server refuses beforehand reaches the operator here, too."""


@pytest.mark.parametrize("seed", range(5))
def test_every_change_is_shown_and_none_stops_a_sweep(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps, source = SweepDriver(monkeypatch), random.Random(seed)
    good = sweep_of(2)
    sweeps.put(copy.deepcopy(good))
    for _ in range(TRANSITIONS):
        path, schema = source.choice(OWN if source.random() < 0.7 else FIELDS)
        changed = copy.deepcopy(good)
        if not put(changed, path, draw_value(schema, source)):
            continue
        sweeps.put(changed)
        if sweeps.find() is None:
            return
        for _ in range(source.choice((1, 3))):
            sweeps.reconcile()  # raises nothing
        assert not sweeps.operator.errors
        check_shown(sweeps.find() or {}, path)
        sweeps.put(copy.deepcopy(good))
        sweeps.get_on()
    body = sweeps.finish()
    assert condition(body, "Succeeded")[0] in ("True", "False")


def check_shown(body: Body, path: str) -> None:
    accepted = condition(body, "Accepted")
    assert "InternalError" not in str(body.get("status")), (path, accepted)
    assert accepted[1], path
    if accepted[0] == "False":
        assert accepted[2], path


def put(body: Body, path: str, value: Any) -> bool:
    """Change a field, if the objects above it are there or can be made."""
    if value is REMOVE and path.endswith((".0", ".name")):
        return False
    try:
        change(body, path, value)
    except (KeyError, IndexError, TypeError, AttributeError):
        return False
    return True
