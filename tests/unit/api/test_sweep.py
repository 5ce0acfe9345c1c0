import pytest
from pydantic import ValidationError

from solrbench.api.crd import build_crd, build_schema
from solrbench.api.kinds import SWEEP
from solrbench.api.problems import problems
from solrbench.api.schema import VALIDATIONS
from support.resources.bad.sweeps import BAD_SWEEPS
from support.resources.small_sweep import parse_sweep


@pytest.mark.parametrize("name", BAD_SWEEPS)
def test_bad_sweeps_are_refused_as_by_the_api_server(name: str) -> None:
    changes, words = BAD_SWEEPS[name]
    with pytest.raises(ValidationError) as caught:
        parse_sweep(changes)
    assert words in "\n".join(problems(caught.value))


def test_one_that_has_started_keeps_to_the_rules_of_its_version() -> None:
    started = {"status": {"startTime": "2026-01-01T00:00:00Z"}, "metadata.name": "n" * 25}
    assert parse_sweep(started).key == f"default/{'n' * 25}"


def test_values_and_templates_are_kept_as_they_are() -> None:
    spec = build_schema(SWEEP)["properties"]["spec"]["properties"]
    anything = {"x-kubernetes-preserve-unknown-fields": True}
    assert spec["axes"]["items"]["properties"]["values"]["items"] == anything
    assert anything.items() <= spec["template"]["properties"]["spec"].items()


def test_columns_are_fields_of_the_schema() -> None:
    schema = build_schema(SWEEP)
    for _, _, path, _ in SWEEP.columns:
        if path.startswith(".metadata") or "conditions" in path:
            continue
        node = schema
        for part in path.removeprefix(".").split("."):
            node = node["properties"][part]


def test_what_must_not_change_says_what_to_do() -> None:
    spec = build_schema(SWEEP)["properties"]["spec"]
    fixed = {name for name, field in spec["properties"].items() if VALIDATIONS in field}
    assert fixed == {"design", "objective", "order", "repeats", "seed", "startOn"}
    assert "delete the sweep" in str(spec["properties"]["design"][VALIDATIONS])
    assert build_crd(SWEEP)["spec"]["names"]["shortNames"] == ["ssweep"]
