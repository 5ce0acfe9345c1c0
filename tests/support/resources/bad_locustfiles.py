"""What users get wrong about locustfiles of their own."""

from support.resources.bad_rows import MISSING, NOT_STRING, TOO_FEW, bad
from support.resources.small_resource import EXISTING, PLANNED, REMOVE, STEP, create, own_locustfile

OWN = "spec.workload.locustfile"
VARIABLES = (
    "environment must have names of letters, digits and '_' that do not start with SOLRBENCH_"
)
SECRETS = "workload.locustfile must not go with target.existing.basicAuth or tls"
QUERIES_ONLY = (
    "requestName, handler, method, parameters, expect and seed must be left out with locustfile"
)
ONE_OF = "must set exactly one of queries, mix, locustfile"

LOCUSTFILES = [
    bad(
        "queries and a locustfile",
        {OWN: {"configMap": {"name": "mine"}}},
        "spec.workload",
        ONE_OF,
    ),
    bad(
        "mix and a locustfile",
        own_locustfile() | {"spec.workload.mix": [{"name": "a", "queries": {"generated": {}}}]},
        "spec.workload",
        ONE_OF,
    ),
    bad(
        "neither queries nor a locustfile",
        {"spec.workload.queries": REMOVE},
        "spec.workload",
        ONE_OF,
    ),
    bad(
        "locustfile without ConfigMap",
        own_locustfile(configMap=REMOVE),
        f"{OWN}.configMap",
        MISSING,
    ),
    bad(
        "locustfile in a folder",
        own_locustfile(configMap={"name": "mine", "key": "users/check_out.py"}),
        f"{OWN}.configMap.key",
        "must be a key of a ConfigMap",
    ),
    bad("no class of the file", own_locustfile(classes=[]), f"{OWN}.classes", TOO_FEW),
    bad(
        "class with its module",
        own_locustfile(classes=["users.CheckOut"]),
        f"{OWN}.classes[0]",
        "must be the name of a class, such as CheckOutUser",
    ),
    bad("no tag", own_locustfile(tags=[]), f"{OWN}.tags", TOO_FEW),
    bad(
        "number as a variable",
        own_locustfile(environment={"BRANCH": 7}),
        f"{OWN}.environment.BRANCH",
        NOT_STRING,
    ),
    bad("variable with a hyphen", own_locustfile(environment={"my-branch": "a"}), OWN, VARIABLES),
    bad(
        "variable of ours",
        own_locustfile(environment={"SOLRBENCH_COLLECTION": "a"}),
        OWN,
        VARIABLES,
    ),
    bad(
        "handler for a locustfile",
        own_locustfile() | {"spec.workload.handler": "/query"},
        "spec.workload",
        QUERIES_ONLY,
    ),
    bad(
        "parameters for a locustfile",
        own_locustfile() | {"spec.workload.parameters": {"rows": "1"}},
        "spec.workload",
        QUERIES_ONLY,
    ),
    bad(
        "expectation for a locustfile",
        own_locustfile() | {"spec.workload.expect": {"minNumFound": 1}},
        "spec.workload",
        QUERIES_ONLY,
    ),
    bad(
        "seed of a mix for a locustfile",
        own_locustfile() | {"spec.workload.seed": 2},
        "spec.workload",
        QUERIES_ONLY,
    ),
    bad(
        "planned rate for a locustfile",
        own_locustfile() | PLANNED,
        "spec",
        "load.steps must set users, not requestsPerSecond, with workload.locustfile",
    ),
    bad(
        "think time for a locustfile",
        own_locustfile() | {f"{STEP}.thinkTime": {"constantMilliseconds": 1}},
        "spec",
        "load.steps must not set thinkTime with workload.locustfile",
    ),
    bad(
        "locustfile that could read a password",
        own_locustfile() | create(basicAuth={"secret": {"name": "login"}}),
        "spec",
        SECRETS,
    ),
    bad(
        "locustfile that could read a Secret of certificates",
        own_locustfile()
        | {EXISTING: {"solrCloudName": "search", "tls": {"caSecret": {"name": "ca"}}}}
        | {"spec.target.solrCloud": REMOVE},
        "spec",
        SECRETS,
    ),
]
