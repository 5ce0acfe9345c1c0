"""What users get wrong about queries, the load and the resource as a whole."""

from typing import Any

from support.resources.bad_locustfiles import LOCUSTFILES
from support.resources.bad_objectives import OBJECTIVES
from support.resources.bad_rows import (
    MISSING,
    NOT_A_CHOICE,
    NOT_BOOLEAN,
    NOT_INTEGER,
    NOT_NUMBER,
    NOT_OBJECT,
    NOT_STRING,
    TOO_LARGE,
    TOO_LONG,
    TOO_MANY,
    TOO_SMALL,
    UNKNOWN,
    bad,
)
from support.resources.small_resource import (
    PLANNED,
    REMOVE,
    SOLR,
    STEP,
    create,
    custom_locustfile,
    step,
    use,
)

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
        "steps of 22 days, and a deadline of 7",
        {
            "spec.load.steps": [step(durationSeconds=600, name=f"s{n}") for n in range(32)],
            "spec.load.repeats.count": 100,
        },
        "spec",
        "deadlines.measuringSeconds must not be less than the durations of all steps together",
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
    bad("steps left out", {"spec.load.steps": REMOVE}, "spec.load", NO_STEPS),
    bad("no steps", {"spec.load.steps": []}, "spec.load", NO_STEPS),
    bad(
        "33 steps",
        {"spec.load.steps": [step(name=f"step-{i}") for i in range(33)]},
        "spec.load.steps",
        TOO_MANY,
    ),
    bad(
        "two steps of one name",
        {"spec.load.steps": [step(), step()]},
        "spec.load",
        "steps must have different names",
    ),
    bad(
        "two steps without name that do the same",
        {"spec.load.steps": [{"users": 4, "requests": 1}, {"users": 4, "requests": 2}]},
        "spec.load",
        "steps must have different names",
    ),
    bad(
        "step named as another is by default",
        {
            "spec.load.steps": [
                {"requestsPerSecond": 16, "requests": 1},
                {"name": "rate-16", "users": 4, "requests": 2},
            ]
        },
        "spec.load.steps[1]",
        "name must not be the default name of a different step",
    ),
    bad(
        "step name with a space", {f"{STEP}.name": "5 users"}, "spec.load.steps[0].name", SHORT_NAME
    ),
    bad(
        "step name in capitals",
        {f"{STEP}.name": "FiveUsers"},
        "spec.load.steps[0].name",
        SHORT_NAME,
    ),
    bad("long step name", {f"{STEP}.name": "a" * 41}, "spec.load.steps[0].name", TOO_LONG),
    bad("no users", {f"{STEP}.users": 0}, "spec.load.steps[0].users", TOO_SMALL),
    bad("users in quotes", {f"{STEP}.users": "5"}, "spec.load.steps[0].users", NOT_INTEGER),
    bad("spawn rate 0", {f"{STEP}.spawnRate": 0}, "spec.load.steps[0].spawnRate", TOO_SMALL),
    bad(
        "duration with a unit",
        {f"{STEP}.durationSeconds": "60s"},
        "spec.load.steps[0].durationSeconds",
        NOT_INTEGER,
    ),
    bad(
        "misspelt field",
        {f"{STEP}.durationSecond": 10},
        "spec.load.steps[0].durationSecond",
        UNKNOWN,
    ),
    bad(
        "duration and requests",
        {f"{STEP}.requests": 100},
        "spec.load.steps[0]",
        "must set exactly one of durationSeconds, requests",
    ),
    bad(
        "neither duration nor requests",
        {f"{STEP}.durationSeconds": REMOVE},
        "spec.load.steps[0]",
        "must set exactly one of durationSeconds, requests",
    ),
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
        "longest think time below the shortest",
        {f"{STEP}.thinkTime": {"uniform": {"minMilliseconds": 200, "maxMilliseconds": 100}}},
        "spec.load.steps[0].thinkTime.uniform",
        "minMilliseconds must not be greater than maxMilliseconds",
    ),
    bad(
        "two think times",
        {f"{STEP}.thinkTime": {"constantMilliseconds": 1, "exponentialMeanMilliseconds": 1}},
        "spec.load.steps[0].thinkTime",
        "must set exactly one of constantMilliseconds",
    ),
    bad(
        "empty think time",
        {f"{STEP}.thinkTime": {}},
        "spec.load.steps[0].thinkTime",
        "must set exactly one of constantMilliseconds",
    ),
    bad(
        "jitter of a think time that varies anyway",
        {f"{STEP}.thinkTime": {"exponentialMeanMilliseconds": 1, "jitterPercent": 5}},
        "spec.load.steps[0].thinkTime",
        "jitterPercent must go with constantMilliseconds",
    ),
    bad(
        "users and a planned rate",
        {f"{STEP}.requestsPerSecond": 16},
        "spec.load.steps[0]",
        "must set exactly one of users, requestsPerSecond, replay",
    ),
    bad(
        "neither users nor a planned rate",
        {f"{STEP}.users": REMOVE},
        "spec.load.steps[0]",
        "must set exactly one of users, requestsPerSecond, replay",
    ),
    *(
        bad(
            f"rate of {rate}",
            PLANNED | {f"{STEP}.requestsPerSecond": rate},
            "spec.load.steps[0]",
            "requestsPerSecond must be at least 0.001",
        )
        for rate in (0, 0.0009)
    ),
    bad(
        "negative rate",
        PLANNED | {f"{STEP}.requestsPerSecond": -1},
        "spec.load.steps[0].requestsPerSecond",
        TOO_SMALL,
    ),
    bad(
        "rate beyond any machine",
        PLANNED | {f"{STEP}.requestsPerSecond": 1_000_001},
        "spec.load.steps[0].requestsPerSecond",
        TOO_LARGE,
    ),
    bad(
        "rate in words",
        PLANNED | {f"{STEP}.requestsPerSecond": "16/s"},
        "spec.load.steps[0].requestsPerSecond",
        NOT_NUMBER,
    ),
    bad(
        "distribution in small letters",
        PLANNED | {f"{STEP}.arrivalDistribution": "poisson"},
        "spec.load.steps[0].arrivalDistribution",
        NOT_A_CHOICE,
    ),
    bad(
        "think time without users",
        PLANNED | {f"{STEP}.thinkTime": {"constantMilliseconds": 1}},
        "spec.load.steps[0]",
        "spawnRate, thinkTime and pacingMilliseconds must go with users",
    ),
    bad(
        "spawn rate without users",
        PLANNED | {f"{STEP}.spawnRate": 1},
        "spec.load.steps[0]",
        "spawnRate, thinkTime and pacingMilliseconds must go with users",
    ),
    bad(
        "pacing and think time",
        {f"{STEP}.pacingMilliseconds": 10, f"{STEP}.thinkTime": {"constantMilliseconds": 1}},
        "spec.load.steps[0]",
        "thinkTime and pacingMilliseconds must not both be set",
    ),
    bad(
        "replay of generated queries",
        {f"{STEP}.users": REMOVE, f"{STEP}.replay": {}},
        "spec",
        "load.steps[].replay must go with workload.queries from a file",
    ),
    bad(
        "replay that stands still",
        {f"{STEP}.users": REMOVE, f"{STEP}.replay": {"speedFactor": 0.001}},
        "spec.load.steps[0].replay",
        "speedFactor must be at least 0.01",
    ),
    bad(
        "two replays of the same name",
        {
            "spec.workload.queries": {"configMap": {"name": "log"}},
            "spec.load.steps": [{"replay": {}, "durationSeconds": 1}] * 2,
        },
        "spec.load",
        "steps must have different names",
    ),
    bad(
        "rate changes with users",
        {f"{STEP}.rateChanges": [{"atSeconds": 1, "requestsPerSecond": 5}]},
        "spec.load.steps[0]",
        "rateChanges must go with requestsPerSecond",
    ),
    bad(
        "rate changes without a duration",
        PLANNED
        | {
            f"{STEP}.durationSeconds": REMOVE,
            f"{STEP}.requests": 1000,
            f"{STEP}.rateChanges": [{"atSeconds": 1, "requestsPerSecond": 5}],
        },
        "spec.load.steps[0]",
        "rateChanges must go with requestsPerSecond",
    ),
    bad(
        "rate change beyond the end",
        PLANNED | {f"{STEP}.rateChanges": [{"atSeconds": 100_000, "requestsPerSecond": 5}]},
        "spec.load.steps[0]",
        "rateChanges[].atSeconds must not be beyond durationSeconds",
    ),
    bad(
        "rate changes out of order",
        PLANNED
        | {
            f"{STEP}.rateChanges": [
                {"atSeconds": 2, "requestsPerSecond": 5},
                {"atSeconds": 1, "requestsPerSecond": 5},
            ]
        },
        "spec.load.steps[0]",
        "rateChanges must be in the order of atSeconds",
    ),
    bad(
        "rate change to nothing",
        PLANNED | {f"{STEP}.rateChanges": [{"atSeconds": 1, "requestsPerSecond": 0.0005}]},
        "spec.load.steps[0].rateChanges[0]",
        "requestsPerSecond must be at least 0.001",
    ),
    *(
        bad(
            f"{field} with users",
            {f"{STEP}.{field}": value},
            "spec.load.steps[0]",
            message,
        )
        for field, value, message in (
            ("arrivalDistribution", "Uniform", "arrivalDistribution and rampSeconds must go with"),
            ("rampSeconds", 5, "arrivalDistribution and rampSeconds must go with"),
            ("maxInFlight", 9, "maxInFlight must go with requestsPerSecond or replay"),
        )
    ),
    bad(
        "fewer connections than workers",
        PLANNED | {f"{STEP}.maxInFlight": 2, "spec.load.workers": 3},
        "spec.load",
        "workers must not be more than maxInFlight of any step",
    ),
    bad(
        "no connections",
        PLANNED | {f"{STEP}.maxInFlight": 0},
        "spec.load.steps[0].maxInFlight",
        TOO_SMALL,
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

WHOLE = [
    bad("misspelt part", {"spec.cleanUp": "Always"}, "spec.cleanUp", UNKNOWN),
    bad("cleanup as a truth", {"spec.cleanup": True}, "spec.cleanup", ("string", "must be")),
    bad("cleanup in small letters", {"spec.cleanup": "always"}, "spec.cleanup", NOT_A_CHOICE),
    bad("suspend in words", {"spec.suspend": "yes"}, "spec.suspend", NOT_BOOLEAN),
    bad("suspend as a number", {"spec.suspend": 1}, "spec.suspend", NOT_BOOLEAN),
    bad(
        "time to live in days",
        {"spec.ttlSecondsAfterFinished": "1d"},
        "spec.ttlSecondsAfterFinished",
        NOT_INTEGER,
    ),
    bad(
        "deadline of 0",
        {"spec.deadlines": {"indexingSeconds": 0}},
        "spec.deadlines.indexingSeconds",
        TOO_SMALL,
    ),
    bad("spec left out", {"spec": REMOVE}, "spec", MISSING),
    bad(
        "long name",
        {"metadata.name": "a" * 41},
        "metadata.name",
        "metadata.name must have at most 40 characters",
    ),
    bad(
        "long name with a provided ZooKeeper",
        {"metadata.name": "a" * 33, f"{SOLR}.zookeeper": {"mode": "Provided"}},
        "metadata.name",
        "metadata.name must have at most 32 characters when target.solrCloud.zookeeper.mode is",
    ),
    bad(
        "name that starts with a digit",
        {"metadata.name": "3-nodes"},
        "metadata.name",
        "metadata.name must start with a letter and must not contain dots",
    ),
    bad(
        "name with a dot",
        {"metadata.name": "solr.bench"},
        "metadata.name",
        "metadata.name must start with a letter and must not contain dots",
    ),
    bad(
        "name with a space",
        {"metadata.name": "my bench"},
        "metadata.name",
        ("RFC 1123", "metadata.name must start with a letter"),
    ),
    bad(
        "name in capitals",
        {"metadata.name": "Bench"},
        "metadata.name",
        ("RFC 1123", "metadata.name must start with a letter"),
    ),
]
