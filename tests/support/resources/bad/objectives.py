"""What users get wrong about objectives and the search for the capacity."""

from typing import Any

from support.resources.bad.rows import TOO_LARGE, TOO_SMALL, UNKNOWN, bad, bad_in_one_way, wrong
from support.resources.bad.steps import DOWNLOADED, GENERATED, NEW_TARGET
from support.resources.small_resource import Changes, create, custom_locustfile, step

IN_TIME = {"name": "fast", "responseTime": {"maxMilliseconds": 200}}
SEEN = {"name": "seen", "timeUntilFound": {"percentile": 99, "maxMilliseconds": 2000}}
LIMIT = "spec.objectives.0.responseTime"
OTHERS = {"name": "good", "failures": {"maxPercent": 0.1}}


def _with(*objectives: dict[str, Any], **load: Any) -> Changes:
    fields = {f"spec.load.{name}": value for name, value in load.items()}
    return {"spec.objectives": list(objectives)} | fields


GOOD_OBJECTIVES: dict[str, Changes] = {
    "objectives of every kind": _with(
        IN_TIME | {"failFast": True, "steps": ["one"], "request": "query"},
        OTHERS,
        {"name": "mean", "meanResponseTime": {"maxMilliseconds": 100}},
        {"name": "rate", "throughput": {"minRequestsPerSecond": 0.5}},
        {"name": "goodput", "goodput": {"minRequestsPerSecond": 10, "withinMilliseconds": 300}},
        {"name": "load", "indexingTime": {"maxSeconds": 600}, "failFast": True},
        {"name": "size", "indexSize": {"maxBytes": 2**40}},
    ),
    "time until found": _with(SEEN, visibility={"intervalSeconds": 1}),
    "capacity after steps": _with(IN_TIME, capacity={}),
    "capacity alone": _with(IN_TIME, OTHERS, steps=[], capacity={"maxTrials": 25}),
    "capacity in users": _with(
        IN_TIME,
        capacity={
            "searchFor": "Users",
            "maxUsers": 500,
            "thinkTime": {"exponentialMeanMilliseconds": 1000},
        },
    ),
    "capacity of indexing, beside limits of other requests": _with(
        IN_TIME | {"request": "update"},
        {"name": "search", "meanResponseTime": {"maxMilliseconds": 9}, "request": "search"},
        capacity={"indexing": {"batchSize": 100, "commitWithinMilliseconds": 500}},
    )
    | {"spec.load.repeats": {"count": 3}},
    "capacity of indexing in users": _with(
        IN_TIME, steps=[], capacity={"searchFor": "Users", "indexing": {}}
    ),
    "stop rule": {"spec.load.stop": {"maxFailedPercent": 20}},
}

OBJECTIVES = [
    *bad_in_one_way(
        "spec.objectives[0]",
        "must set exactly one of responseTime, meanResponseTime, failures",
        {
            "objective of nothing": _with({"name": "none"}),
            "objective of two things": _with(IN_TIME | {"failures": {"maxPercent": 1}}),
        },
    ),
    bad(
        "objective of a step that is not there",
        _with({"name": "fast", "meanResponseTime": {"maxMilliseconds": 1}, "steps": ["six-users"]}),
        "spec",
        "objectives.steps must be names of load.steps",
    ),
    bad(
        "two objectives of one name", _with(IN_TIME, IN_TIME), "spec.objectives", "Duplicate value"
    ),
    wrong("limit of 0 ms", f"{LIMIT}.maxMilliseconds", 0, TOO_SMALL, _with(IN_TIME)),
    wrong("percentile of 100", f"{LIMIT}.percentile", 100, TOO_LARGE, _with(IN_TIME)),
    bad(
        "least rate of 0",
        _with({"name": "rate", "throughput": {"minRequestsPerSecond": 0}}),
        "spec.objectives[0].throughput",
        "minRequestsPerSecond must be at least 0.001",
    ),
    bad(
        "index size of a step",
        _with({"name": "size", "indexSize": {"maxBytes": 1}, "steps": ["one"]}),
        "spec.objectives[0]",
        "request and steps must not go with indexingTime and indexSize",
    ),
    bad(
        "index size that fails fast",
        _with({"name": "size", "indexSize": {"maxBytes": 1}, "failFast": True}),
        "spec.objectives[0]",
        "failFast must not go with indexSize",
    ),
    bad(
        "time until found that is not measured",
        _with(SEEN),
        "spec",
        "objectives.timeUntilFound must go with load.visibility",
    ),
    bad(
        "time until found beyond what is waited for",
        _with(SEEN, visibility={"timeoutSeconds": 1}),
        "spec",
        "measures it up to timeoutSeconds",
    ),
    bad(
        "time until found of a request",
        _with(SEEN | {"request": "search"}, visibility={}),
        "spec.objectives[0]",
        "request must not go with timeUntilFound",
    ),
    bad(
        "more objective results than fit into the status",
        _with(
            *[OTHERS | {"name": f"o-{n}"} for n in range(16)],
            steps=[step(name=f"step-{n}") for n in range(9)],
        ),
        "spec",
        "objectives times load.steps times target.variants must be at most 128",
    ),
    bad("capacity of nothing", {"spec.load.capacity": {}}, "spec", "objectives must have one with"),
    *bad_in_one_way(
        "spec",
        "objectives must have one with responseTime or meanResponseTime",
        {
            "capacity by failures alone": _with(OTHERS, capacity={}),
            "capacity of a step": _with(IN_TIME | {"steps": ["one"]}, capacity={}),
        },
    ),
    bad(
        "capacity after repeats without a number",
        _with(IN_TIME, capacity={}, repeats={"until": "Decided"})
        | {"spec.comparison": {"baseline": {"benchmark": {"name": "before"}}}},
        "spec",
        "load.capacity must not go with load.repeats.until",
    ),
    bad(
        "capacity with a locustfile",
        _with(IN_TIME, capacity={}) | custom_locustfile(),
        "spec",
        "load.capacity must not go with workload.locustfile",
    ),
    bad(
        "answers with a locustfile",
        {"spec.comparison": {"answers": {}}} | custom_locustfile(),
        "spec",
        "comparison.answers must not go with workload.locustfile",
    ),
    wrong(
        "too many documents of answers",
        "spec.comparison.answers",
        {"queries": 5000, "first": 11},
        "queries times first must be at most 50000",
    ),
    bad(
        "capacity of queries sent once",
        _with(IN_TIME, capacity={}) | {"spec.workload.queries.order": "Once"},
        "spec",
        "load.capacity must not go with the order Once",
    ),
    bad(
        "capacity as a rate with think time",
        _with(IN_TIME, capacity={"thinkTime": {"constantMilliseconds": 100}}),
        "spec.load.capacity",
        "thinkTime must go with searchFor Users",
    ),
    bad(
        "capacity in users with requests in flight",
        _with(IN_TIME, capacity={"searchFor": "Users", "maxInFlight": 100}),
        "spec.load.capacity",
        "maxInFlight must go with searchFor RequestsPerSecond",
    ),
    bad(
        "capacity of fewer users than workers",
        _with(IN_TIME, capacity={"searchFor": "Users", "maxUsers": 1}) | {"spec.load.workers": 2},
        "spec.load",
        "workers must not be more than capacity.maxUsers",
    ),
    bad(
        "capacity of indexing without a limit of its updates",
        _with(IN_TIME | {"request": "search"}, capacity={"indexing": {}}),
        "spec",
        "with load.capacity.indexing, its request must be update or omitted",
    ),
    *(
        bad(name, _with(IN_TIME, capacity={"indexing": {}}) | changes, "spec", message)
        for name, changes, message in (
            ("capacity of indexing of a target of others", create(), NEW_TARGET),
            ("capacity of indexing of documents that nothing makes", DOWNLOADED, GENERATED),
            (
                "capacity of indexing without a route",
                {"spec.collection.router": {"name": "implicit"}},
                "load.capacity must go with collection.router.name compositeId without a field",
            ),
        )
    ),
    wrong(
        "capacity of indexing at the times of a log",
        "spec.load.capacity.replay",
        {},
        UNKNOWN,
        _with(IN_TIME, capacity={"indexing": {}}),
    ),
    wrong(
        "capacity with too few trials", "spec.load.capacity.maxTrials", 7, TOO_SMALL, _with(IN_TIME)
    ),
    bad(
        "capacity that cannot be over in time",
        _with(IN_TIME, capacity={"trialSeconds": 3600})
        | {"spec.deadlines": {"measuringSeconds": 3600}},
        "spec",
        "deadlines.measuringSeconds must not be less than",
    ),
]
