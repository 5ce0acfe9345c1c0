"""What users get wrong about mixes, updates, transactions and locustfiles."""

from typing import Any

from support.resources.bad.rows import (
    MISSING,
    NOT_A_CHOICE,
    NOT_STRING,
    TOO_FEW,
    TOO_MANY,
    TOO_SMALL,
    bad,
    bad_in_one_way,
    wrong,
)
from support.resources.small_resource import (
    EXISTING,
    PLANNED,
    REMOVE,
    STEP,
    Changes,
    create,
    custom_locustfile,
    use,
)

QUERIES = {"configMap": {"name": "q"}}
WORKLOAD = "spec.workload"
MIX = "spec.workload.mix[0]"
REQUEST: dict[str, Any] = {"name": "find", "parameters": {"q": "a"}}


def mix(*entries: dict[str, Any]) -> Changes:
    """Return the changes to a workload with these entries, each named unless it says so."""
    named = [{"name": f"e{place}", **entry} for place, entry in enumerate(entries)]
    return {WORKLOAD: {"mix": named}}


def transaction(*requests: dict[str, Any], **fields: Any) -> Changes:
    return mix({"transaction": {"requests": list(requests), **fields}})


WORKLOADS = [
    wrong("neither queries nor mix", WORKLOAD, {}, "must set exactly one of queries, mix"),
    wrong(
        "queries and mix",
        WORKLOAD,
        {"queries": QUERIES, "mix": [{"name": "a", "queries": QUERIES}]},
        "must set exactly one of queries, mix",
    ),
    bad("empty mix", {WORKLOAD: {"mix": []}}, "spec.workload.mix", TOO_FEW),
    bad("21 entries", mix(*({"queries": QUERIES} for _ in range(21))), f"{WORKLOAD}.mix", TOO_MANY),
    bad(
        "two entries of one name",
        mix({"name": "a", "queries": QUERIES}, {"name": "a", "queries": QUERIES}),
        f"{WORKLOAD}.mix",
        "Duplicate value",
    ),
    bad(
        "more than 50 names",
        mix(
            *(
                {"transaction": {"requests": requests}}
                for requests in [[{"name": f"r{n}"} for n in range(10)]] * 5
            )
        ),
        WORKLOAD,
        "mix must not have more than 50 names",
    ),
    *bad_in_one_way(
        MIX,
        "must set exactly one of queries, updates, transaction",
        {
            "entry without requests": mix({"weight": 1}),
            "queries and updates in one entry": mix(
                {"queries": QUERIES, "updates": {"generated": {}}}
            ),
        },
    ),
    bad("weight 0", mix({"weight": 0, "queries": QUERIES}), f"{MIX}.weight", TOO_SMALL),
    bad(
        "handler beside a transaction",
        mix({"handler": "/browse", "transaction": {"requests": [REQUEST]}}),
        MIX,
        "handler, method and expect must be set on the requests of the transaction",
    ),
    bad(
        "updates by GET",
        mix({"method": "GET", "updates": {"generated": {}}}),
        MIX,
        "method and expect must be omitted with updates",
    ),
    bad(
        "updates from nowhere",
        mix({"updates": {"documentsPerRequest": 5}}),
        f"{MIX}.updates",
        "must set exactly one of generated, configMap, persistentVolumeClaim",
    ),
    bad(
        "no documents in an update",
        mix({"updates": {"generated": {}, "documentsPerRequest": 0}}),
        f"{MIX}.updates.documentsPerRequest",
        TOO_SMALL,
    ),
    bad(
        "ids that do not exist",
        mix({"updates": {"generated": {"ids": "Random"}}}),
        f"{MIX}.updates.generated.ids",
        NOT_A_CHOICE,
    ),
    bad(
        "generated updates of other data",
        use() | mix({"updates": {"generated": {}}}),
        "spec",
        "workload.mix must have nothing generated without dataset.generator",
    ),
    bad(
        "routed queries of a mix without prefixes",
        mix({"queries": {"generated": {"routedPercent": 0.5}}}),
        "spec",
        "workload.queries.generated.routedPercent must go with dataset.generator.routePrefixes",
    ),
    bad("transaction without requests", transaction(), f"{MIX}.transaction.requests", TOO_FEW),
    bad(
        "requests without name",
        transaction({"parameters": {"q": "a"}}),
        f"{MIX}.transaction.requests[0].name",
        MISSING,
    ),
    bad(
        "two requests of one name",
        transaction(REQUEST, REQUEST),
        f"{MIX}.transaction.requests",
        "Duplicate value",
    ),
    bad(
        "thinking before the first request",
        transaction(REQUEST | {"thinkTime": {"constantMilliseconds": 1}}),
        f"{MIX}.transaction",
        "thinkTime must be omitted from the first request",
    ),
    bad(
        "body by GET",
        transaction(REQUEST | {"method": "GET", "jsonBody": "{}"}),
        f"{MIX}.transaction.requests[0]",
        "method must be POST, or omitted, with jsonBody",
    ),
    bad(
        "path that is none",
        transaction(REQUEST | {"extract": {"id": "response.docs[x]"}}),
        f"{MIX}.transaction.requests[0].extract",
        "must be a path into the response, such as response.docs[0].id",
    ),
    wrong(
        "expectation of nothing",
        f"{WORKLOAD}.expect",
        {},
        "must set at least one of minNumFound, maxNumFound, contains",
    ),
    wrong(
        "more expected than allowed",
        f"{WORKLOAD}.expect",
        {"minNumFound": 2, "maxNumFound": 1},
        "minNumFound must not be greater than maxNumFound",
    ),
]

GOOD_WORKLOADS: dict[str, Changes] = {
    "mix of everything": mix(
        {
            "weight": 8,
            "queries": {"generated": {}, "order": "Once"},
            "handler": "/browse",
            "method": "POST",
            "parameters": {"timeAllowed": "500"},
            "expect": {"minNumFound": 0, "maxNumFound": 0, "contains": 'a "quoted" text'},
        },
        {
            "updates": {
                "generated": {"ids": "New", "seed": 3},
                "documentsPerRequest": 10,
                "commitWithinMilliseconds": 1000,
            }
        },
        {
            "transaction": {
                "inputs": {"configMap": {"name": "patrons", "key": "inputs.jsonl"}},
                "requests": [
                    REQUEST | {"extract": {"id": "response.docs[0].id", "x": "a.b-c[1][2]"}},
                    {
                        "name": "loan",
                        "handler": "/update",
                        "jsonBody": '[{"id": "{{id}}"}]',
                        "thinkTime": {"uniform": {"minMilliseconds": 1, "maxMilliseconds": 2}},
                    },
                ],
            }
        },
    ),
    "documents of a file for a collection of the user's": use()
    | mix({"updates": {"persistentVolumeClaim": {"claimName": "c", "path": "docs.jsonl"}}}),
    "as many names as there may be": mix(
        *({"transaction": {"requests": [{"name": f"r{n}"} for n in range(4)]}} for _ in range(10))
    ),
}

LOCUSTFILE = "spec.workload.locustfile"
VARIABLES = (
    "environment must have names of letters, digits and '_' that do not start with SOLRBENCH_"
)
SECRETS = "workload.locustfile must not go with target.existing.basicAuth or tls"
QUERIES_ONLY = (
    "requestName, handler, method, parameters, expect and seed must be omitted with locustfile"
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
