"""What users get wrong about variants of the target and about routing."""

from support.resources.bad.rows import (
    NOT_A_CHOICE,
    TOO_FEW,
    TOO_LARGE,
    TOO_MANY,
    TOO_SMALL,
    bad,
    bad_in_one_way,
    wrong,
)
from support.resources.small_resource import create, step

VARIANTS = "spec.target.variants"
ROUTER = "spec.collection.router"
PREFIXES = "spec.dataset.generator.routePrefixes"
ROUTED = "spec.workload.queries.generated.routedPercent"
RAW = {"name": "raw", "endpoint": "Nodes"}
SERVICE = {"name": "service", "endpoint": "Service"}
NOT_READ = "dataset.generator.routePrefixes must go with collection.router.name compositeId"
URL = "must start with http:// or https:// and a host and end with the path of Solr"


def _variants(count: int) -> list[dict[str, str]]:
    return [{"name": f"v{i}", "endpoint": "Nodes"} for i in range(count)]


ENDPOINTS = [
    bad(
        "replicas of others asked for marked documents",
        create() | {"spec.load.visibility": {}},
        "spec",
        "load.visibility adds documents and asks replicas by their own addresses",
    ),
    bad(
        "marked documents without a route",
        {ROUTER: {"name": "implicit"}, "spec.load.visibility": {}},
        "spec",
        "load.visibility must go with collection.router.name compositeId without a field",
    ),
    wrong("marked documents at once", "spec.load.visibility", {"intervalSeconds": 0}, TOO_SMALL),
    bad(
        "repeats until one variant is decided",
        {VARIANTS: [RAW], "spec.load.repeats": {"until": "Decided"}},
        "spec",
        "load.repeats.until must go with two target.variants",
    ),
    wrong(
        "two variants of one name", VARIANTS, [RAW, SERVICE | {"name": "raw"}], "Duplicate value"
    ),
    bad(
        "the Service of an existing target",
        create() | {VARIANTS: [RAW, SERVICE]},
        "spec.target",
        "variants must not have the endpoint Service with target.existing",
    ),
    wrong("9 variants", VARIANTS, _variants(9), TOO_MANY),
    bad(
        "8 variants of 5 steps",
        {VARIANTS: _variants(8), "spec.load.steps": [step(name=f"step-{i}") for i in range(5)]},
        "spec",
        "target.variants times load.steps must be at most 32",
    ),
    *bad_in_one_way(
        f"{VARIANTS}[1]",
        "must set exactly one of endpoint, urls",
        {
            "variant without endpoint": {VARIANTS: [RAW, {"name": "proxy"}]},
            "variant with two endpoints": {
                VARIANTS: [RAW, SERVICE | {"urls": ["http://proxy/solr"]}]
            },
        },
    ),
    bad(
        "variant without address",
        {VARIANTS: [RAW, {"name": "proxy", "urls": []}]},
        f"{VARIANTS}[1].urls",
        TOO_FEW,
    ),
    bad(
        "endpoint that does not exist",
        {VARIANTS: [RAW, {"name": "ingress", "endpoint": "Ingress"}]},
        f"{VARIANTS}[1].endpoint",
        NOT_A_CHOICE,
    ),
    bad(
        "name of a variant in capitals",
        {VARIANTS: [RAW, SERVICE | {"name": "Service"}]},
        f"{VARIANTS}[1].name",
        "must be lower-case letters, digits and '-'",
    ),
    *(
        bad(
            f"address {problem}",
            {VARIANTS: [RAW, {"name": "proxy", "urls": [url]}]},
            f"{VARIANTS}[1].urls[0]",
            URL,
        )
        for problem, url in {
            "without scheme": "proxy.search.svc/solr",
            "of another protocol": "ftp://proxy.search.svc/solr",
            "of a query": "http://proxy.search.svc/solr/books/select?q=a",
            "with a space": "http://proxy.search.svc/my solr",
            "with a port that is no number": "http://proxy.search.svc:80a/solr",
            "with port 65536": "http://proxy.search.svc:65536/solr",
            "with a user": "http://admin:secret@proxy.search.svc/solr",
        }.items()
    ),
]

ROUTING = [
    wrong("negative prefixes", PREFIXES, -1, TOO_SMALL),
    wrong("more prefixes than their hash distinguishes", PREFIXES, 65_537, TOO_LARGE),
    wrong("more than all queries routed", ROUTED, 1001, TOO_LARGE),
    bad("prefixes for implicit", {PREFIXES: 4, ROUTER: {"name": "implicit"}}, "spec", NOT_READ),
    bad(
        "prefixes beside a router field",
        {PREFIXES: 4, ROUTER: {"field": "category_s"}},
        "spec",
        NOT_READ,
    ),
    bad(
        "routed queries without prefixes",
        {ROUTED: 50},
        "spec",
        "workload.queries.generated.routedPercent must go with dataset.generator.routePrefixes",
    ),
]
