"""What users get wrong about custom locustfiles."""

from support.resources.bad.rows import MISSING, NOT_STRING, TOO_FEW, bad, bad_in_one_way
from support.resources.small_resource import (
    EXISTING,
    PLANNED,
    REMOVE,
    STEP,
    create,
    custom_locustfile,
)

LOCUSTFILE = "spec.workload.locustfile"
VARIABLES = (
    "environment must have names of letters, digits and '_' that do not start with SOLRBENCH_"
)
SECRETS = "workload.locustfile must not go with target.existing.basicAuth or tls"
QUERIES_ONLY = (
    "requestName, handler, method, parameters, expect and seed must be left out with locustfile"
)
ONE_OF = "must set exactly one of queries, mix, locustfile"

LOCUSTFILES = [
    *bad_in_one_way(
        "spec.workload",
        ONE_OF,
        {
            "queries and a locustfile": {LOCUSTFILE: {"configMap": {"name": "mine"}}},
            "mix and a locustfile": custom_locustfile()
            | {"spec.workload.mix": [{"name": "a", "queries": {"generated": {}}}]},
            "neither queries nor a locustfile": {"spec.workload.queries": REMOVE},
        },
    ),
    bad(
        "locustfile without ConfigMap",
        custom_locustfile(configMap=REMOVE),
        f"{LOCUSTFILE}.configMap",
        MISSING,
    ),
    bad(
        "locustfile in a folder",
        custom_locustfile(configMap={"name": "mine", "key": "users/check_out.py"}),
        f"{LOCUSTFILE}.configMap.key",
        "must be a key of a ConfigMap",
    ),
    bad("no class of the file", custom_locustfile(classes=[]), f"{LOCUSTFILE}.classes", TOO_FEW),
    bad(
        "class with its module",
        custom_locustfile(classes=["users.CheckOut"]),
        f"{LOCUSTFILE}.classes[0]",
        "must be the name of a class, such as CheckOutUser",
    ),
    bad("no tag", custom_locustfile(tags=[]), f"{LOCUSTFILE}.tags", TOO_FEW),
    bad(
        "number as a variable",
        custom_locustfile(environment={"BRANCH": 7}),
        f"{LOCUSTFILE}.environment.BRANCH",
        NOT_STRING,
    ),
    *bad_in_one_way(
        LOCUSTFILE,
        VARIABLES,
        {
            "variable with a hyphen": custom_locustfile(environment={"my-branch": "a"}),
            "variable of ours": custom_locustfile(environment={"SOLRBENCH_COLLECTION": "a"}),
        },
    ),
    *bad_in_one_way(
        "spec.workload",
        QUERIES_ONLY,
        {
            "handler for a locustfile": custom_locustfile() | {"spec.workload.handler": "/query"},
            "parameters for a locustfile": custom_locustfile()
            | {"spec.workload.parameters": {"rows": "1"}},
            "expectation for a locustfile": custom_locustfile()
            | {"spec.workload.expect": {"minNumFound": 1}},
            "seed of a mix for a locustfile": custom_locustfile() | {"spec.workload.seed": 2},
        },
    ),
    bad(
        "planned rate for a locustfile",
        custom_locustfile() | PLANNED,
        "spec",
        "load.steps must set users, not requestsPerSecond, with workload.locustfile",
    ),
    bad(
        "think time for a locustfile",
        custom_locustfile() | {f"{STEP}.thinkTime": {"constantMilliseconds": 1}},
        "spec",
        "load.steps must not set thinkTime or pacingMilliseconds with workload.locustfile",
    ),
    *bad_in_one_way(
        "spec",
        SECRETS,
        {
            "locustfile that could read a password": custom_locustfile()
            | create(basicAuth={"secret": {"name": "login"}}),
            "locustfile that could read a Secret of certificates": custom_locustfile()
            | {EXISTING: {"solrCloudName": "search", "tls": {"caSecret": {"name": "ca"}}}}
            | {"spec.target.solrCloud": REMOVE},
        },
    ),
]
