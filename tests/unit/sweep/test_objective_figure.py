"""Objectives on any figure of a benchmark: how it is read, shown and refused."""

from collections.abc import Mapping
from typing import Any

import pytest

from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.sweep.objective_figure import ObjectiveFigure, drop_earlier_step, figure_of
from solrbench.sweep.plan import make_plan
from solrbench.sweep.state import view_child
from support.resources.small_resource import Changes
from support.resources.small_sweep import HEAP, parse_sweep, plan, users_axis

READS = {"readsPerRequest": 0.0, "readBytesPerRequest": 3.0 * 2**20}
STATUS: Mapping[str, Any] = {
    "summary": {"step": "evening"},
    "dataset": {"seconds": 12.5, "indexBytes": 3 * 2**20},
    "capacity": [
        {"variant": "direct", "requestsPerSecond": 300.0},
        {"variant": "proxy", "requestsPerSecond": 200.0, "users": 40},
    ],
    "telemetry": [
        {"step": "morning", "cpuMillisecondsPerRequest": 1.0},
        {"step": "evening", "cpuMillisecondsPerRequest": 2.0, **READS},
    ],
    "totals": [
        {"step": "morning", "variant": "direct", "request": "all requests", "p50Milliseconds": 1.0},
        {
            "step": "evening",
            "variant": "direct",
            "requestsPerSecond": 50.0,
            "documentsPerSecond": 2500.0,
            "averageMilliseconds": 3.0,
            "p99Milliseconds": 9.0,
            "responseP99Milliseconds": 90.0,
            "requests": 200,
            "failures": 1,
        },
        {"step": "evening", "variant": "proxy", "averageMilliseconds": 4.0},
    ],
    "results": [
        {"step": "evening", "variant": "direct", "request": "check-in", "p95Milliseconds": 7.0},
        {"step": "evening", "variant": "direct", "request": "check-out", "p95Milliseconds": 13.0},
    ],
}
CHECK_OUT = {"step": "evening", "variant": "direct", "request": "check-out"}


@pytest.mark.parametrize(
    ("metric", "place", "value", "text"),
    [
        ("IndexingSeconds", {}, 12.5, "indexing 12.5 s"),
        ("IndexBytes", {}, 3 * 2**20, "index size 3 MiB"),
        ("Capacity", {}, 300.0, "capacity 300 requests/s"),
        ("Capacity", {"variant": "proxy", "unit": "users"}, 40, "capacity 40 users"),
        ("CpuMillisecondsPerRequest", {"step": "morning"}, 1.0, "CPU time per request 1 ms"),
        # Of 0 there is no ratio.
        ("ReadsPerRequest", {}, 0.01, "number of disk reads per request at most 0.01"),
        ("ReadBytesPerRequest", {}, 3 * 2**20, "disk reads per request 3 MiB"),
        ("P50Milliseconds", {"step": "morning"}, 1.0, "p50 1 ms"),
        ("P99Milliseconds", {}, 90.0, "p99 90 ms"),
        ("MeanMilliseconds", {"variant": "proxy"}, 4.0, "average 4 ms"),
        ("FailedPercent", {}, 0.5, "failed 0.5 %"),
        ("RequestsPerSecond", {"step": "evening"}, 50.0, "50 requests/s"),
        ("DocumentsPerSecond", {}, 2500.0, "2500 documents/s"),
        ("P95Milliseconds", CHECK_OUT, 13.0, "p95 of check-out 13 ms"),
        ("P95Milliseconds", {"step": "noon"}, None, ""),
        ("P95Milliseconds", {"variant": "other"}, None, ""),
    ],
)
def test_a_figure_is_read_from_the_status_of_a_benchmark(
    metric: str, place: dict[str, str], value: float | None, text: str
) -> None:
    figure = ObjectiveFigure(Metric(metric), **place)
    assert figure.read(STATUS) == value
    assert figure.text(value) == text
    assert figure.read({}) is None


@pytest.mark.parametrize(
    ("metric", "place", "words"),
    [
        ("IndexingSeconds", {}, "time of indexing"),
        ("IndexBytes", {}, "index size"),
        ("Capacity", {"variant": "proxy"}, "capacity through proxy"),
        ("CpuMillisecondsPerRequest", {"step": "morning"}, "CPU time per request in morning"),
        ("ReadsPerRequest", {}, "number of disk reads per request"),
        ("ReadBytesPerRequest", {}, "disk reads per request"),
        ("P99Milliseconds", {}, "p99"),
        ("MeanMilliseconds", {"variant": "proxy"}, "mean time through proxy"),
        ("FailedPercent", {}, "share of failed requests"),
        ("DocumentsPerSecond", {}, "rate of documents"),
        ("P95Milliseconds", CHECK_OUT, "p95 of check-out in evening through direct"),
    ],
)
def test_a_figure_has_words_of_what_it_is_of(
    metric: str, place: dict[str, str], words: str
) -> None:
    assert ObjectiveFigure(Metric(metric), **place).words == f"the {words}"


def test_time_until_found_is_that_of_the_slowest_type_unless_many_were_not() -> None:
    def of(kind: str, p95: float | None, missing: int = 0) -> dict[str, Any]:
        times = {50: 1.0} | ({} if p95 is None else {95: p95})
        percentiles = [{"percent": each, "milliseconds": time} for each, time in times.items()]
        found = {"documents": 100, "notFound": missing, "percentiles": percentiles}
        return {"step": "evening", "replicaType": kind} | found

    figure = ObjectiveFigure(Metric.TIME_UNTIL_FOUND)
    status: dict[str, Any] = {"summary": {"step": "evening"}}
    other = of("NRT", 99.0) | {"step": "morning"}
    assert figure.read(status | {"visibility": [other, of("PULL", 7.0), of("NRT", 3.0)]}) == 7
    assert figure.read(status | {"visibility": [of("PULL", 7.0, missing=5)]}) == 7
    lost = [of("NRT", 3.0), of("PULL", None, missing=9)]
    assert figure.read(status | {"visibility": lost}) is None
    assert figure.read(status) is None
    assert figure.text(7.0) == "p95 until found 7 ms"
    objective: Changes = {"spec.objective": {"metric": "TimeUntilFoundP95Milliseconds"}}
    (problem,) = make_plan(parse_sweep(objective)).problems
    assert "without load.visibility; set it" in problem
    seen: Changes = {"spec.load.visibility": {}}
    assert make_plan(parse_sweep(objective, seen)).problems == ()


def test_a_time_of_indexing_is_invalid_where_the_index_pods_were_the_limit() -> None:
    status = {"summary": {"verdict": "Valid"}, "dataset": {"verdict": "Invalid", "seconds": 9.0}}
    assert ObjectiveFigure(Metric.INDEXING_SECONDS).is_invalid(status)
    assert not ObjectiveFigure(Metric.INDEX_BYTES).is_invalid(status)
    assert not ObjectiveFigure(Metric.INDEXING_SECONDS).is_invalid({"dataset": {}})
    assert not ObjectiveFigure(Metric.INDEXING_SECONDS).is_invalid({})


def test_only_rate_and_p95_of_the_last_step_have_fields_of_their_own() -> None:
    assert ObjectiveFigure(Metric.P95_MILLISECONDS).has_field
    assert ObjectiveFigure(Metric.REQUESTS_PER_SECOND).has_field
    assert not ObjectiveFigure(Metric.P95_MILLISECONDS, step="ten").has_field
    assert not ObjectiveFigure(Metric.P99_MILLISECONDS).has_field


CAPACITY: Changes = {
    "spec.load": {"capacity": {}},
    "spec.objectives": [{"name": "fast", "responseTime": {"maxMilliseconds": 100}}],
}


def test_a_sweep_of_capacities_is_about_them() -> None:
    sweep = parse_sweep({}, CAPACITY)
    assert make_plan(sweep).problems == ()
    assert figure_of(sweep.spec) == ObjectiveFigure(Metric.CAPACITY)
    assert figure_of(parse_sweep().spec) == ObjectiveFigure(Metric.P95_MILLISECONDS)


def test_a_capacity_of_indexing_is_in_documents() -> None:
    indexing = CAPACITY | {"spec.load": {"capacity": {"indexing": {"batchSize": 50}}}}
    figure = figure_of(parse_sweep({}, indexing).spec)
    assert figure.read({"capacity": [{"requestsPerSecond": 10, "documentsPerSecond": 500}]}) == 500
    assert figure.text(500) == "capacity 500 documents/s"
    axis = {"name": "batch", "field": "load.capacity.indexing.batchSize", "values": [50, 500]}
    by_batch = parse_sweep({"spec.axes": [axis]}, CAPACITY)
    assert make_plan(by_batch).problems == ()
    assert figure_of(by_batch.spec).unit == "documents/s"


SEARCH = {"name": "search", "queries": {"generated": {}}}
ADD = {"name": "add", "transaction": {"requests": [{"name": "check", "parameters": {"q": "*:*"}}]}}
AT_A_RATE = {"name": "one", "durationSeconds": 10, "requestsPerSecond": 5}
GIVEN_RATE = (
    ".metric: must not be RequestsPerSecond, which the last step gives; choose P95Milliseconds, or"
    " Capacity with load.capacity"
)
NOT_READ = (
    ".metric: ReadsPerRequest is not read; set load.telemetry.collect of the template to"
    " ServersAndPods"
)
ONE_NUMBER = (
    ": the p99 is one number of each benchmark, whose repeats must be rounds: set order to Random"
    " and load.repeats.count, or spec.repeats"
)
NO_DOCUMENTS = (
    ".metric: the last step adds no documents; set its indexing, or name another in"
    " spec.objective.step"
)


@pytest.mark.parametrize(
    ("objective", "template", "problem"),
    [
        ({"step": "two"}, {}, ".step: no point has the step two; must be one of one"),
        ({"variant": "proxy"}, {}, ".variant: no point has the variant proxy; no point has any"),
        (
            {"request": "find"},
            {"spec.workload": {"mix": [SEARCH, ADD]}},
            ".request: no point has the request find; must be one of search, add, add.check",
        ),
        (
            {"metric": "Capacity"},
            {},
            ".metric: must not be Capacity, no point has a search; set load.capacity",
        ),
        (
            {"request": "query"},
            CAPACITY,
            ".request: must be omitted, as a capacity is of all requests together",
        ),
        (
            {"metric": "P95Milliseconds"},
            CAPACITY,
            ".metric: must be Capacity, or of the index, as no point has load.steps",
        ),
        ({"metric": "ReadsPerRequest"}, {}, NOT_READ),
        ({"metric": "RequestsPerSecond"}, {"spec.load.steps": [AT_A_RATE]}, GIVEN_RATE),
        ({"metric": "P99Milliseconds"}, {"spec.load.repeats": {"count": 3}}, ONE_NUMBER),
        ({"metric": "DocumentsPerSecond"}, {}, NO_DOCUMENTS),
    ],
)
def test_an_objective_that_no_point_has_is_refused(
    objective: dict[str, str], template: Changes, problem: str
) -> None:
    found = plan({"spec.objective": objective}, template).problems
    assert found == (f"spec.objective{problem}",)


def test_a_rate_that_an_axis_gives_is_no_objective() -> None:
    rates = {"name": "rate", "field": "load.steps[0].requestsPerSecond", "values": [1, 2]}
    axes = [HEAP, rates | {"role": "Setting"}]
    template: Changes = {"spec.load.steps": [{"durationSeconds": 10, "name": "one"}]}
    found = plan({"spec.objective.metric": "RequestsPerSecond", "spec.axes": axes}, template)
    assert found.problems == (f"spec.objective{GIVEN_RATE}",)


def test_a_search_has_no_use_of_an_axis_of_steps() -> None:
    axes = [HEAP, users_axis(2)]
    template = {"spec.load.capacity": {}, "spec.objectives": CAPACITY["spec.objectives"]}
    found = plan({"spec.objective.metric": "Capacity", "spec.axes": axes}, template)
    (problem,) = found.problems
    assert problem == (
        "spec.axes[1]: must not be load.steps[0].users with the objective Capacity, whose search"
        " sends a load of its own; leave the axis out, or choose another metric"
    )


def test_what_a_ladder_shows_that_ended_before_its_last_step_is_no_figure_of_that() -> None:
    cut = {**STATUS, "notRun": [{"step": "night", "variant": "direct"}]}
    figure = ObjectiveFigure(Metric.P99_MILLISECONDS)
    assert (figure.read(STATUS), figure.read(drop_earlier_step(cut))) == (90, None)
    summary = {"step": "evening", "p95Milliseconds": 80.0, "verdict": "Valid"}
    owner = {"ownerReferences": [{"uid": "u", "controller": True}]}
    child = view_child({"metadata": owner, "status": {**cut, "summary": summary}}, "u")
    assert child is not None
    assert (child.summary, child.telemetry) == ({"verdict": "Valid"}, {})
    # Through another variant, or in some of its repeats, it may have ended early.
    for step, variant in (("night", "proxy"), ("evening", "direct")):
        other = {**STATUS, "notRun": [{"step": step, "variant": variant}]}
        assert drop_earlier_step(other) is other


def test_only_a_capacity_has_the_unit_of_its_search() -> None:
    users: Changes = {"spec.load.capacity": {"searchFor": "Users"}}
    p95, capacity = (
        figure_of(parse_sweep({"spec.objective": {"metric": metric}}, users).spec)
        for metric in ("P95Milliseconds", "Capacity")
    )
    assert p95 == ObjectiveFigure(Metric.P95_MILLISECONDS)
    assert capacity.unit == "users"
