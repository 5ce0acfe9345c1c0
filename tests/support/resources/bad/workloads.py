"""Workloads that must be refused: mixes, updates, transactions, expectations."""

from typing import Any

from support.resources.bad.rows import (
    MISSING,
    NOT_A_CHOICE,
    TOO_FEW,
    TOO_MANY,
    TOO_SMALL,
    bad,
    bad_in_one_way,
    wrong,
)
from support.resources.small_resource import Changes, use

QUERIES = {"configMap": {"name": "q"}}
WORKLOAD = "spec.workload"
MIX = "spec.workload.mix[0]"
REQUEST: dict[str, Any] = {"name": "find", "parameters": {"q": "a"}}


def mix(*entries: dict[str, Any]) -> Changes:
    """Return the changes to a workload with these entries, each named unless it says so."""
    named = [{"name": f"e{place}", **entry} for place, entry in enumerate(entries)]
    return {WORKLOAD: {"mix": named}}


def transaction(*requests: dict[str, Any], **fields: Any) -> Changes:
    """Return the changes to a workload with one transaction."""
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
        "method and expect must be left out with updates",
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
        "thinkTime must be left out of the first request",
    ),
    bad(
        "body by GET",
        transaction(REQUEST | {"method": "GET", "jsonBody": "{}"}),
        f"{MIX}.transaction.requests[0]",
        "method must be POST, or left out, with jsonBody",
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
            },
        },
    ),
    "documents of a file for a collection of the user's": use()
    | mix({"updates": {"persistentVolumeClaim": {"claimName": "c", "path": "docs.jsonl"}}}),
    "as many names as there may be": mix(
        *({"transaction": {"requests": [{"name": f"r{n}"} for n in range(4)]}} for _ in range(10))
    ),
}
