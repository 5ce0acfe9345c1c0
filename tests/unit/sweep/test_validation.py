"""Sweeps that are refused, soon and in little memory, or warned of; the benchmark of a point."""

import time
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.contract.step_runs import variant_order
from solrbench.sweep.plan import check_sweep, make_plan
from solrbench.sweep.validation import build_child
from support.resources.small_resource import Changes
from support.resources.small_sweep import parse_sweep, plan, small_sweep, users_axis

MAX_TOTAL_BYTES = 50 << 20
MAX_TOTAL_SECONDS = 20.0


def axis(field: str, *values: Any) -> Changes:
    """Return a sweep over one field."""
    return {"spec.axes": [{"name": "evil", "field": field, "values": list(values)}]}


def axes(count: int, values: int) -> list[dict[str, Any]]:
    """Return axes whose product is large."""
    return [
        {"name": f"axis-{number}", "field": f"workload.parameters.p{number}", "values": texts}
        for number, texts in enumerate([[str(each) for each in range(values)]] * count)
    ]


DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]

HOSTILE: dict[str, Changes] = {
    "a name of the benchmark": axis("metadata.name", "a", "b"),
    "the spec itself": axis("spec", {}, {}),
    "the status": axis("status.phase", "Succeeded", "Failed"),
    "the owner": axis("metadata.ownerReferences.0.uid", "x", "y"),
    "an attribute of Python": axis("__class__.__init__", "x", "y"),
    "a path that climbs": axis("../../etc/passwd", "x", "y"),
    "a template": axis("{{ .Values.image }}", "x", "y"),
    "an empty path": axis("", "x", "y"),
    "a long path": axis("a." * 5000 + "a", "x", "y"),
    "a path through a list far away": axis("load.steps[999999999].users", 1, 2),
    "a negative place in a list": axis("load.steps[-1].users", 1, 2),
    "who suspends": axis("suspend", True, False),
    "a URL of this machine": axis("target.existing.urls", ["file:///etc/passwd"], ["x"]),
    "an image that is an option": axis("target.solrCloud.image.repository", "--privileged", "-x"),
    "a heap that is an option": axis("target.solrCloud.heap", "1g -XX:OnError=reboot", "2g"),
    "a huge number": axis("target.solrCloud.nodes", 10**30, 1),
    "a number that is none": axis("load.workers", "NaN", 1),
    "a deep value": axis("workload.parameters", DEEP, "x"),
    "a long value": axis("workload.parameters.q", "x" * 1_400_000, "y"),
    "a million points": {"spec.design": "Full", "spec.axes": axes(6, 10)},
    "more axes than there may be": {"spec.axes": axes(500, 2)},
    "more values than there may be": {"spec.axes": axes(1, 100_000)},
    "a name that breaks labels": {"spec.axes.0.name": 'a"} 1\nfake{x="'},
    "a name that breaks a table": {"spec.axes.0.name": "|<script>"},
    "an expression of Python": {"spec.exclude": ["__import__('os').system('reboot')"]},
    "an attribute of Python in CEL": {"spec.exclude": ["point.__class__ == 1"]},
    "an expression in 200 brackets": {"spec.exclude": ["(" * 200]},
    "an expression with 250 signs": {"spec.exclude": ["!" * 250 + "true"]},
    "an expression with a huge number": {"spec.exclude": ["9" * 200 + " == 1"]},
    "100,000 unknown fields in the template": {
        "spec.template.spec": {f"unknown{n}": 1 for n in range(100_000)}
    },
    "an owner in the template": {"spec.template.metadata": {"ownerReferences": [{"uid": "x"}]}},
    "another kind in the template": {"spec.template.kind": "Secret"},
    "endless points at a time": {"spec.parallelism": 10**9},
}


def test_points_behind_the_twentieth_with_a_problem_are_not_checked() -> None:
    body = small_sweep({"spec.axes": [users_axis(500)], "spec.maxPoints": 500})
    body["spec"]["template"]["spec"] |= {"x" * 1000: 0, "load.steps": 0}
    found = make_plan(SolrBenchmarkSweep.parse(body)).problems
    assert len(found) == 3
    assert all(each.startswith("every point: spec.") and len(each) < 400 for each in found[:2])
    assert found[2] == "spec.template: 20 of 500 points are checked, correct these first"


def test_at_most_twenty_problems_of_a_point_are_shown() -> None:
    body = small_sweep()
    body["spec"]["template"]["spec"] |= {f"unknown{n}": 0 for n in range(9000)}
    found = make_plan(SolrBenchmarkSweep.parse(body)).problems
    assert len(found) == 21
    assert found[20] == "spec.template: 1 of 4 points are checked, correct these first"


def refusal(changes: Changes) -> str:
    """Return why a sweep is refused, by the schema's models or by its plan."""
    try:
        return "\n".join(plan(changes).problems)
    except ValidationError as error:
        return "\n".join(problems(error))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sweep_is_refused_by_name(name: str) -> None:
    began = time.process_time()
    tracemalloc.start()
    try:
        text = refusal(HOSTILE[name])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "spec." in text or "metadata." in text
    assert len(text) < 100_000
    assert peak < MAX_TOTAL_BYTES
    assert time.process_time() - began < MAX_TOTAL_SECONDS


@pytest.mark.parametrize(
    ("points", "rounds", "until", "percent"),
    [(2, 5, None, None), (30, 5, None, "1"), (4, 3, None, "0.8"), (30, 5, "Decided", None)],
)
def test_rounds_that_can_hardly_decide_are_warned_of(
    points: int, rounds: int, until: str | None, percent: str | None
) -> None:
    repeats: Changes = {} if until is None else {"spec.repeats": {"until": until}}
    template: Changes = {} if until is not None else {"spec.load.repeats": {"count": rounds}}
    changes = axis("workload.queries.seed", *range(points)) | {"spec.order": "Random"} | repeats
    # What is given is not compared.
    assert "warning: " not in "".join(check_sweep(small_sweep(changes, template)).lines)
    changes["spec.axes"][0]["role"] = "Setting"
    found = check_sweep(small_sweep(changes, template))
    assert found.problems == ()
    warnings = [line for line in found.lines if line.startswith("warning: ")]
    assert bool(warnings) is (percent is not None)
    if percent is not None:
        assert f"{points - 1} points compared in {rounds} rounds" in warnings[0]
        assert f"below {percent} %" in warnings[0]
        template |= {"spec.comparison": {"smallestEffectPercent": 30}}
        assert "warning: " not in "".join(check_sweep(small_sweep(changes, template)).lines)


@pytest.mark.parametrize(
    ("changes", "template", "problem"),
    [
        (
            {},
            {
                "spec.load.repeats": {"until": "Decided"},
                "spec.comparison": {"baseline": {"benchmark": {"name": "other"}}},
            },
            "load.repeats.until of the template",
        ),
        ({}, {"spec.load.repeats": {"count": 7}}, "spec.repeats.max: must be at least 14"),
        (
            {"spec.axes": [{"name": "n", "field": "load.repeats.count", "values": [1, 2]}]},
            {},
            "must be the same in all points of a round, not 1, 2",
        ),
        ({"spec.axes": [users_axis(101)], "spec.maxPoints": 500}, {}, "takes at most 100 points"),
        (
            {"spec.axes": [users_axis(101)], "spec.maxPoints": 500, "spec.order": "Random"},
            {"spec.load.repeats": {"count": 2}},
            "spec.order: cannot be Random for 101 points with repeats",
        ),
        (
            {"metadata.name": "n" * 24},
            {"spec.target.solrCloud.zookeeper": {"mode": "Provided"}},
            "metadata.name: must have at most 20 characters",
        ),
    ],
)
def test_rounds_that_cannot_be_are_refused(
    changes: Changes, template: Changes, problem: str
) -> None:
    rounds: Changes = {} if "spec.order" in changes else {"spec.repeats": {"max": 6}}
    found = plan(rounds | changes, template).problems
    assert any(problem in each for each in found), found


VARIANTS = [{"name": name, "endpoint": "Nodes"} for name in ("one", "two")]


@pytest.mark.parametrize("load", [None, {"repeats": None}])
def test_variants_are_turned_where_the_template_has_nulls(load: Changes | None) -> None:
    template: Changes = {"spec.target.variants": VARIANTS, "spec.load": load}
    sweep = parse_sweep({"spec.axes": [users_axis(2)], "spec.repeats": {}}, template)
    points = make_plan(parse_sweep({"spec.axes": [users_axis(2)], "spec.repeats": {}})).points
    child = build_child(sweep, replace(points[0].point, values=()), None, 2)
    assert child["spec"]["load"]["repeats"]["order"] == "Reversed"


@pytest.mark.parametrize("wanted", [None, "Random", "Interleaved", "Listed"])
def test_every_second_round_turns_the_variants(wanted: str | None) -> None:
    template: Changes = {"spec.target.variants": VARIANTS}
    if wanted is not None:
        template |= {"spec.load.repeats": {"order": wanted}}
    sweep = parse_sweep({"spec.axes": [users_axis(2)], "spec.repeats": {}}, template)
    point = make_plan(sweep).points[0].point
    children = [SolrBenchmark.parse(build_child(sweep, point, None, n)) for n in range(1, 5)]
    forth, back = [0, 1], [0, 1] if wanted == "Listed" else [1, 0]
    assert [variant_order(each.spec, 1) for each in children] == [forth, back, forth, back]
