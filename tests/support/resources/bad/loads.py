"""What users get wrong about queries, the warm-up and the load."""

from typing import Any

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
    wrong,
)
from support.resources.bad.workloads import LOCUSTFILES
from support.resources.small_resource import REMOVE, create, custom_locustfile, step, use


def _mix(names: int) -> list[dict[str, Any]]:
    return [{"name": f"name-{n}", "queries": {"generated": {}}} for n in range(names)]


LOAD = [
    wrong("telemetry of something else", "spec.load.telemetry.collect", "Everything", NOT_A_CHOICE),
    wrong("telemetry without a pause", "spec.load.telemetry.intervalSeconds", 0, TOO_SMALL),
    wrong(
        "no queries",
        "spec.workload.queries",
        {},
        "must set exactly one of configMap, persistentVolumeClaim, generated",
    ),
    *LOCUSTFILES,
    bad(
        "generated queries for other data",
        {"spec.dataset": {"http": {"urls": ["http://example.org/a.json"]}}},
        "spec",
        "workload.queries.generated must go with dataset.generator",
    ),
    wrong("order that does not exist", "spec.workload.queries.order", "Shuffled", NOT_A_CHOICE),
    wrong(
        "handler without slash",
        "spec.workload.handler",
        "select",
        "must be the path of a request handler, such as /select",
    ),
    wrong(
        "handler that leads out of the collection",
        "spec.workload.handler",
        "/../admin/collections",
        "must be the path of a request handler, such as /select",
    ),
    wrong("number as a parameter", "spec.workload.parameters.rows", 10, NOT_STRING),
    wrong(
        "warm-up without length",
        "spec.warmUp",
        {"users": 1},
        "must set exactly one of requests, durationSeconds, untilSteady",
    ),
    wrong(
        "warm-up by time and until steady",
        "spec.warmUp",
        {"durationSeconds": 10, "untilSteady": {}},
        "must set exactly one of requests, durationSeconds, untilSteady",
    ),
    wrong(
        "no time to become steady",
        "spec.warmUp.untilSteady",
        {"maxSeconds": 39, "windows": 10, "windowSeconds": 4},
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
    wrong("two windows to be alike", "spec.warmUp.untilSteady.windows", 2, TOO_SMALL),
    wrong("windows without requests", "spec.warmUp.untilSteady.windowRequests", 0, TOO_SMALL),
    wrong("deviation as a text", "spec.warmUp.untilSteady.deviationPercent", "5%", NOT_INTEGER),
    wrong("no load", "spec.load", REMOVE, MISSING),
    *OBJECTIVES,
    wrong(
        "percentile that no number of samples reaches",
        "spec.load.validity.percentile",
        100,
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
    wrong(
        "more percentiles than a status has place for",
        "spec.load.percentiles",
        [10, 20, 30, 40, 50, 60, 70, 80, 90],
        TOO_MANY,
    ),
    wrong("percentile with a unit", "spec.load.validity.percentile", "p95", NOT_INTEGER),
    wrong("more than a core", "spec.load.validity.maxWorkerCpuPercent", 101, TOO_LARGE),
    wrong("no lag at all", "spec.load.validity.maxLagMilliseconds", 0, TOO_SMALL),
    wrong("more than everything", "spec.load.validity.maxEmptyPercent", 100.1, TOO_LARGE),
    wrong("share below zero", "spec.load.validity.maxThrottledPercent", -0.1, TOO_SMALL),
    bad(
        "fewer users than workers",
        {"spec.load.workers": 5},
        "spec.load",
        "workers must not be more than the users of any step",
    ),
    wrong(
        "loss of workers in small letters", "spec.load.onWorkerLoss", "redistribute", NOT_A_CHOICE
    ),
    bad(
        "users of a lost worker without another one",
        {"spec.load.onWorkerLoss": "Redistribute"},
        "spec.load",
        "onWorkerLoss Redistribute must go with 2 workers or more",
    ),
    wrong("no repeats", "spec.load.repeats.count", 0, TOO_SMALL),
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
    wrong("repeats on something else", "spec.load.repeats.startOn", "WarmTarget", NOT_A_CHOICE),
    bad(
        "empty caches of the user's",
        use() | {"spec.load.between": {"caches": "Empty"}},
        "spec",
        "load.between.caches Empty must go with a dataset",
    ),
    wrong("caches that are half empty", "spec.load.between.caches", "Half", NOT_A_CHOICE),
    bad(
        "repeats until nothing",
        {"spec.load.repeats": {"until": "Decided"}},
        "spec",
        "load.repeats.until must go with two target.variants or comparison.baseline",
    ),
    wrong(
        "count and until",
        "spec.load.repeats",
        {"until": "Decided", "count": 3},
        "count must not go with until",
    ),
    wrong(
        "bounds of a number that is known",
        "spec.load.repeats",
        {"count": 3, "min": 2},
        "min and max must go with until",
    ),
    wrong(
        "less at most than at first",
        "spec.load.repeats",
        {"until": "Decided", "max": 4},
        "max must not be less than min, 5 and 20 when absent",
    ),
    wrong("one repeat, decided", "spec.load.repeats.min", 1, TOO_SMALL),
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
    wrong("repeats without count", "spec.load.repeats", 3, NOT_OBJECT),
]
