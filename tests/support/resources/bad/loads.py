"""What users get wrong about queries, the warm-up and the load."""

from typing import Any

from support.resources.bad.locustfiles import LOCUSTFILES
from support.resources.bad.objectives import OBJECTIVES
from support.resources.bad.rows import (
    MISSING,
    NOT_A_CHOICE,
    NOT_INTEGER,
    NOT_OBJECT,
    NOT_STRING,
    TOO_LARGE,
    TOO_MANY,
    TOO_SMALL,
    bad,
)
from support.resources.small_resource import REMOVE, create, custom_locustfile, step, use

NO_STEPS = "steps must be set, or capacity, there is no load without"


SHORT_NAME = "must be lower-case letters, digits and '-', such as ten-users"


def _mix(names: int) -> list[dict[str, Any]]:
    return [{"name": f"name-{n}", "queries": {"generated": {}}} for n in range(names)]


LOAD = [
    bad(
        "telemetry of something else",
        {"spec.load.telemetry": {"collect": "Everything"}},
        "spec.load.telemetry.collect",
        NOT_A_CHOICE,
    ),
    bad(
        "telemetry without a pause",
        {"spec.load.telemetry": {"intervalSeconds": 0}},
        "spec.load.telemetry.intervalSeconds",
        TOO_SMALL,
    ),
    bad(
        "no queries",
        {"spec.workload.queries": {}},
        "spec.workload.queries",
        "must set exactly one of configMap, persistentVolumeClaim, generated",
    ),
    *LOCUSTFILES,
    bad(
        "generated queries for other data",
        {"spec.dataset": {"http": {"urls": ["http://example.org/a.json"]}}},
        "spec",
        "workload.queries.generated must go with dataset.generator",
    ),
    bad(
        "order that does not exist",
        {"spec.workload.queries.order": "Shuffled"},
        "spec.workload.queries.order",
        NOT_A_CHOICE,
    ),
    bad(
        "handler without slash",
        {"spec.workload.handler": "select"},
        "spec.workload.handler",
        "must be the path of a request handler, such as /select",
    ),
    bad(
        "number as a parameter",
        {"spec.workload.parameters": {"rows": 10}},
        "spec.workload.parameters.rows",
        NOT_STRING,
    ),
    bad(
        "warm-up without length",
        {"spec.warmUp": {"users": 1}},
        "spec.warmUp",
        "must set exactly one of requests, durationSeconds, untilSteady",
    ),
    bad(
        "warm-up by time and until steady",
        {"spec.warmUp": {"durationSeconds": 10, "untilSteady": {}}},
        "spec.warmUp",
        "must set exactly one of requests, durationSeconds, untilSteady",
    ),
    bad(
        "no time to become steady",
        {"spec.warmUp": {"untilSteady": {"maxSeconds": 39, "windows": 10, "windowSeconds": 4}}},
        "spec.warmUp.untilSteady",
        "maxSeconds must not be less than windows times windowSeconds",
    ),
    bad(
        "results for 13 names of 32 steps",
        {
            "spec.workload": {"mix": _mix(13)},
            "spec.load.steps": [step(name=f"s{users}", users=users) for users in range(1, 33)],
        },
        "spec",
        "load.steps times target.variants times the names of workload.mix must be at most 256,"
        " more results do not fit into the status",
    ),
    bad(
        "histograms of 9 names, 10 steps and 90 repeats",
        {
            "spec.workload": {"mix": _mix(9)},
            "spec.load.steps": [step(name=f"s{users}", users=users) for users in range(1, 11)],
            "spec.load.repeats.count": 90,
        },
        "spec",
        "load.repeats times load.steps times target.variants times the names of workload.mix"
        " must be at most 8000, more do not fit into the report of 256 MiB",
    ),
    bad(
        "two windows to be alike",
        {"spec.warmUp": {"untilSteady": {"windows": 2}}},
        "spec.warmUp.untilSteady.windows",
        TOO_SMALL,
    ),
    bad(
        "windows without requests",
        {"spec.warmUp": {"untilSteady": {"windowRequests": 0}}},
        "spec.warmUp.untilSteady.windowRequests",
        TOO_SMALL,
    ),
    bad(
        "deviation as a text",
        {"spec.warmUp": {"untilSteady": {"deviationPercent": "5%"}}},
        "spec.warmUp.untilSteady.deviationPercent",
        NOT_INTEGER,
    ),
    bad("no load", {"spec.load": REMOVE}, "spec.load", MISSING),
    *OBJECTIVES,
    bad(
        "percentile that no number of samples reaches",
        {"spec.load.validity": {"percentile": 100}},
        "spec.load.validity.percentile",
        TOO_LARGE,
    ),
    bad(
        "a percentile twice",
        {"spec.load.percentiles": [50, 99, 50.0]},
        "spec.load",
        "percentiles must be different numbers",
    ),
    bad(
        "a percentile that is the maximum",
        {"spec.load.percentiles": [100]},
        "spec.load.percentiles[0]",
        TOO_LARGE,
    ),
    bad(
        "more percentiles than a status has place for",
        {"spec.load.percentiles": [10, 20, 30, 40, 50, 60, 70, 80, 90]},
        "spec.load.percentiles",
        TOO_MANY,
    ),
    bad(
        "percentile with a unit",
        {"spec.load.validity": {"percentile": "p95"}},
        "spec.load.validity.percentile",
        NOT_INTEGER,
    ),
    bad(
        "more than a core",
        {"spec.load.validity": {"maxWorkerCpuPercent": 101}},
        "spec.load.validity.maxWorkerCpuPercent",
        TOO_LARGE,
    ),
    bad(
        "no lag at all",
        {"spec.load.validity": {"maxLagMilliseconds": 0}},
        "spec.load.validity.maxLagMilliseconds",
        TOO_SMALL,
    ),
    bad(
        "more than everything",
        {"spec.load.validity": {"maxEmptyPercent": 100.1}},
        "spec.load.validity.maxEmptyPercent",
        TOO_LARGE,
    ),
    bad(
        "share below zero",
        {"spec.load.validity": {"maxThrottledPercent": -0.1}},
        "spec.load.validity.maxThrottledPercent",
        TOO_SMALL,
    ),
    bad(
        "fewer users than workers",
        {"spec.load.workers": 5},
        "spec.load",
        "workers must not be more than the users of any step",
    ),
    bad(
        "loss of workers in small letters",
        {"spec.load.onWorkerLoss": "redistribute"},
        "spec.load.onWorkerLoss",
        NOT_A_CHOICE,
    ),
    bad(
        "users of a lost worker without another one",
        {"spec.load.onWorkerLoss": "Redistribute"},
        "spec.load",
        "onWorkerLoss Redistribute must go with 2 workers or more",
    ),
    bad("no repeats", {"spec.load.repeats.count": 0}, "spec.load.repeats.count", TOO_SMALL),
    bad(
        "repeats on fresh targets that exist",
        create() | {"spec.load.repeats.startOn": "FreshTarget"},
        "spec",
        "load.repeats.startOn FreshTarget must go with target.solrCloud",
    ),
    bad(
        "repeats on fresh data of the user's",
        use() | {"spec.load.repeats.startOn": "FreshData"},
        "spec",
        "load.repeats.startOn FreshData must go with a dataset",
    ),
    bad(
        "repeats on something else",
        {"spec.load.repeats.startOn": "WarmTarget"},
        "spec.load.repeats.startOn",
        NOT_A_CHOICE,
    ),
    bad(
        "empty caches of the user's",
        use() | {"spec.load.between": {"caches": "Empty"}},
        "spec",
        "load.between.caches Empty must go with a dataset",
    ),
    bad(
        "caches that are half empty",
        {"spec.load.between": {"caches": "Half"}},
        "spec.load.between.caches",
        NOT_A_CHOICE,
    ),
    bad(
        "repeats until nothing",
        {"spec.load.repeats": {"until": "Decided"}},
        "spec",
        "load.repeats.until must go with target.variants or comparison.baseline",
    ),
    bad(
        "count and until",
        {"spec.load.repeats": {"until": "Decided", "count": 3}},
        "spec.load.repeats",
        "count must not go with until",
    ),
    bad(
        "bounds of a number that is known",
        {"spec.load.repeats": {"count": 3, "min": 2}},
        "spec.load.repeats",
        "min and max must go with until",
    ),
    bad(
        "less at most than at first",
        {"spec.load.repeats": {"until": "Decided", "max": 4}},
        "spec.load.repeats",
        "max must not be less than min, 5 and 20 when absent",
    ),
    bad("one repeat, decided", {"spec.load.repeats.min": 1}, "spec.load.repeats.min", TOO_SMALL),
    bad(
        "queries of a warm-up beside a locustfile",
        custom_locustfile() | {"spec.workload.warmUpQueries": {"configMap": {"name": "q"}}},
        "spec.workload",
        "warmUpQueries must not go with locustfile",
    ),
    bad(
        "generated queries of a warm-up without generated data",
        use() | {"spec.workload.warmUpQueries": {"generated": {}}},
        "spec",
        "workload.warmUpQueries.generated must go with dataset.generator",
    ),
    bad("repeats without count", {"spec.load.repeats": 3}, "spec.load.repeats", NOT_OBJECT),
]
