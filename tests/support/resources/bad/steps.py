"""What users get wrong about the steps of a load."""

from support.resources.bad.rows import (
    NOT_A_CHOICE,
    NOT_INTEGER,
    NOT_NUMBER,
    TOO_LARGE,
    TOO_LONG,
    TOO_MANY,
    TOO_SMALL,
    UNKNOWN,
    bad,
    bad_in_one_way,
    wrong,
)
from support.resources.small_resource import (
    PLANNED,
    REMOVE,
    RESTORED,
    STEP,
    Changes,
    create,
    custom_locustfile,
    step,
)

NO_STEPS = "steps must be set, or capacity, there is no load without"
SHORT_NAME = "must be lower-case letters, digits and '-', such as ten-users"
NEW_TARGET = "indexing of load.steps and load.capacity must go with target.solrCloud"
GENERATED = "indexing of load.steps and load.capacity must go with dataset.generator"
DOWNLOADED: Changes = {
    "spec.dataset": {"http": {"urls": ["http://files/books.jsonl"]}},
    "spec.workload.queries": {"configMap": {"name": "queries"}},
}
INDEXING = {f"{STEP}.indexing": {"batchSize": 100}}

STEPS = [
    bad(
        "steps of 22 days, and a deadline of 7",
        {
            "spec.load.steps": [step(durationSeconds=600, name=f"s{n}") for n in range(32)],
            "spec.load.repeats.count": 100,
        },
        "spec",
        "deadlines.measuringSeconds must not be less than the durations of all steps together",
    ),
    bad("steps left out", {"spec.load.steps": REMOVE}, "spec.load", NO_STEPS),
    bad("no steps", {"spec.load.steps": []}, "spec.load", NO_STEPS),
    wrong("33 steps", "spec.load.steps", [step(name=f"step-{i}") for i in range(33)], TOO_MANY),
    *bad_in_one_way(
        "spec.load",
        "steps must have different names",
        {
            "two steps of one name": {"spec.load.steps": [step(), step()]},
            "two steps without name that do the same": {
                "spec.load.steps": [{"users": 4, "requests": 1}, {"users": 4, "requests": 2}]
            },
            "two replays of the same name": {
                "spec.workload.queries": {"configMap": {"name": "log"}},
                "spec.load.steps": [{"replay": {}, "durationSeconds": 1}] * 2,
            },
        },
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
    wrong("step name with a space", f"{STEP}.name", "5 users", SHORT_NAME),
    wrong("step name in capitals", f"{STEP}.name", "FiveUsers", SHORT_NAME),
    wrong("long step name", f"{STEP}.name", "a" * 41, TOO_LONG),
    wrong("no users", f"{STEP}.users", 0, TOO_SMALL),
    wrong("users in quotes", f"{STEP}.users", "5", NOT_INTEGER),
    wrong("spawn rate 0", f"{STEP}.spawnRate", 0, TOO_SMALL),
    wrong("duration with a unit", f"{STEP}.durationSeconds", "60s", NOT_INTEGER),
    wrong("misspelt field", f"{STEP}.durationSecond", 10, UNKNOWN),
    *bad_in_one_way(
        "spec.load.steps[0]",
        "must set exactly one of durationSeconds, requests",
        {
            "duration and requests": {f"{STEP}.requests": 100},
            "neither duration nor requests": {f"{STEP}.durationSeconds": REMOVE},
        },
    ),
    wrong(
        "longest think time below the shortest",
        f"{STEP}.thinkTime.uniform",
        {"minMilliseconds": 200, "maxMilliseconds": 100},
        "minMilliseconds must not be greater than maxMilliseconds",
    ),
    wrong(
        "two think times",
        f"{STEP}.thinkTime",
        {"constantMilliseconds": 1, "exponentialMeanMilliseconds": 1},
        "must set exactly one of constantMilliseconds",
    ),
    wrong(
        "empty think time", f"{STEP}.thinkTime", {}, "must set exactly one of constantMilliseconds"
    ),
    wrong(
        "jitter of a think time that varies anyway",
        f"{STEP}.thinkTime",
        {"exponentialMeanMilliseconds": 1, "jitterPercent": 5},
        "jitterPercent must go with constantMilliseconds",
    ),
    *bad_in_one_way(
        "spec.load.steps[0]",
        "must set exactly one of users, requestsPerSecond, replay",
        {
            "users and a planned rate": {f"{STEP}.requestsPerSecond": 16},
            "neither users nor a planned rate": {f"{STEP}.users": REMOVE},
        },
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
    wrong("negative rate", f"{STEP}.requestsPerSecond", -1, TOO_SMALL, PLANNED),
    wrong("rate beyond any machine", f"{STEP}.requestsPerSecond", 1_000_001, TOO_LARGE, PLANNED),
    wrong("rate in words", f"{STEP}.requestsPerSecond", "16/s", NOT_NUMBER, PLANNED),
    wrong(
        "distribution in small letters",
        f"{STEP}.arrivalDistribution",
        "poisson",
        NOT_A_CHOICE,
        PLANNED,
    ),
    *bad_in_one_way(
        "spec.load.steps[0]",
        "spawnRate, thinkTime and pacingMilliseconds must go with users",
        {
            "think time without users": PLANNED
            | {f"{STEP}.thinkTime": {"constantMilliseconds": 1}},
            "spawn rate without users": PLANNED | {f"{STEP}.spawnRate": 1},
        },
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
    *bad_in_one_way(
        "spec.load.steps[0]",
        "rateChanges must go with requestsPerSecond",
        {
            "rate changes with users": {
                f"{STEP}.rateChanges": [{"atSeconds": 1, "requestsPerSecond": 5}]
            },
            "rate changes without a duration": PLANNED
            | {
                f"{STEP}.durationSeconds": REMOVE,
                f"{STEP}.requests": 1000,
                f"{STEP}.rateChanges": [{"atSeconds": 1, "requestsPerSecond": 5}],
            },
        },
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
        bad(f"{field} with users", {f"{STEP}.{field}": value}, "spec.load.steps[0]", message)
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
    wrong("no connections", f"{STEP}.maxInFlight", 0, TOO_SMALL, PLANNED),
    *(
        bad(name, INDEXING | changes, "spec", message)
        for name, changes, message in (
            ("documents added to a target of others", create(), NEW_TARGET),
            ("documents added like those of downloads", DOWNLOADED, GENERATED),
            ("documents added like those of a backup", RESTORED, GENERATED),
            (
                "documents added with prefixes of ids",
                {"spec.dataset.generator.routePrefixes": 4},
                "must go with dataset.generator and routePrefixes 0, or files that",
            ),
            (
                "documents added without a route",
                {"spec.collection.router": {"name": "implicit"}},
                "must go with collection.router.name compositeId without a field",
            ),
            (
                "documents added again and again to one index",
                {"spec.load.repeats": {"count": 3}},
                "load.repeats.startOn must be FreshData or FreshTarget with load.steps[].indexing",
            ),
            (
                "documents added beside users of a locustfile",
                custom_locustfile(),
                "load.steps[].indexing must not go with workload.locustfile",
            ),
        )
    ),
    bad(
        "documents added at the times of a log",
        {
            "spec.workload.queries": {"configMap": {"name": "log"}},
            STEP: {"replay": {}, "durationSeconds": 9, "indexing": {}},
        },
        "spec.load.steps[0]",
        "indexing must go with users or requestsPerSecond, replay sends the queries of a log",
    ),
    wrong("updates of no document", f"{STEP}.indexing.batchSize", 0, TOO_SMALL),
]
