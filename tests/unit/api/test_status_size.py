"""Specs whose results fit into the status and the report."""

from typing import Any

import pytest

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.rules.storage_limits import max_request_names
from unit.results.builders import make_spec


def ladder(steps: int, repeats: int, variants: int, mix: int) -> Spec:
    entries = [{"name": f"q{n}", "queries": {"generated": {}}} for n in range(mix)]
    target: dict[str, Any] = {"solrCloud": {"nodes": 2}}
    if variants > 1:
        target["variants"] = [{"name": f"v{n}", "endpoint": "Nodes"} for n in range(variants)]
    return make_spec(
        target=target,
        workload={"mix": entries},
        load={
            "repeats": {"count": repeats},
            "steps": [{"users": n + 1, "requests": 1} for n in range(steps)],
        },
    )


@pytest.mark.parametrize(
    ("steps", "repeats", "variants", "mix"),
    [(32, 1, 1, 8), (12, 20, 1, 20), (4, 20, 8, 8), (32, 100, 1, 2)],
)
def test_ladders_that_fit_are_accepted(steps: int, repeats: int, variants: int, mix: int) -> None:
    assert max_request_names(ladder(steps, repeats, variants, mix)) >= mix


@pytest.mark.parametrize(
    ("steps", "repeats", "variants", "mix", "message"),
    [
        (32, 1, 1, 9, "names of workload.mix must be at most 256"),
        (4, 1, 8, 9, "names of workload.mix must be at most 256"),
        (32, 100, 1, 3, "names of workload.mix must be at most 8000"),
        (20, 21, 1, 20, "load.repeats times load.steps times target.variants"),
    ],
)
def test_ladders_that_do_not_fit_are_refused(
    steps: int, repeats: int, variants: int, mix: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ladder(steps, repeats, variants, mix)


def test_names_of_files_are_as_few_as_fit() -> None:
    assert max_request_names(ladder(1, 1, 1, 1)) == 50
    assert max_request_names(ladder(32, 1, 1, 1)) == 8
    assert max_request_names(ladder(4, 1, 8, 1)) == 8
    assert max_request_names(ladder(32, 100, 1, 1)) == 2
