"""What users get wrong about targets that are there already."""

from support.resources.bad.rows import MISSING, NOT_A_CHOICE, TOO_FEW, UNKNOWN, bad, bad_in_one_way
from support.resources.small_resource import EXISTING, REMOVE, SOLR, create, use

URL = "must be the base URL of Solr without user, query and last slash"
ONE_OF = "must set exactly one of urls, solrCloudName"
NAMED = "collectionName must be set with collectionPolicy UseExisting, and only then"
DATASET = "dataset must be set, except with target.existing.collectionPolicy UseExisting"
AS_IT_IS = "collection must be omitted with target.existing.collectionPolicy UseExisting"
GENERATED = "workload.queries.generated must go with dataset.generator"

_URLS = {
    "without a scheme": "search:8983/solr",
    "of a file": "file:///solr",
    "with port 0": "http://search:0/solr",
    "with port 65536": "http://search:65536/solr",
    "with port 99999": "http://search:99999/solr",
    "with a user": "http://admin:secret@search:8983/solr",
    "with a query": "http://search:8983/solr?wt=xml",
    "with a last slash": "http://search:8983/solr/",
    "with a line break": "http://search:8983/solr\r\nX-Evil: 1",
    "without a host": "http:///solr",
    "with a fragment": "http://search:8983/solr#/collections",
}

EXISTING_TARGETS = [
    *(
        bad(f"existing URL {name}", create(urls=[url]), f"{EXISTING}.urls[0]", URL)
        for name, url in _URLS.items()
    ),
    bad("existing and new at once", create() | {f"{SOLR}.nodes": 1}, "spec.target", "must set"),
    bad("existing without an address", {"spec.target": {"existing": {}}}, EXISTING, ONE_OF),
    bad("existing with two addresses", create(solrCloudName="search"), EXISTING, ONE_OF),
    bad("existing with no URL at all", create(urls=[]), f"{EXISTING}.urls", TOO_FEW),
    bad(
        "password in the resource",
        create(basicAuth={"username": "solr", "password": "SolrRocks"}),
        f"{EXISTING}.basicAuth",
        UNKNOWN,
    ),
    bad("login without its Secret", create(basicAuth={}), f"{EXISTING}.basicAuth.secret", MISSING),
    bad(
        "authority without its Secret",
        create(urls=["https://search/solr"], tls={}),
        f"{EXISTING}.tls.caSecret",
        MISSING,
    ),
    bad(
        "trust where nothing is encrypted",
        create(tls={"caSecret": {"name": "ca"}}),
        EXISTING,
        "urls must all start with https:// when tls is set",
    ),
    bad(
        "collection neither made nor used",
        create(collectionPolicy="Adopt"),
        f"{EXISTING}.collectionPolicy",
        NOT_A_CHOICE,
    ),
    bad("name for a collection of our own", create(collectionName="books"), EXISTING, NAMED),
    bad(
        "used collection without a name",
        use() | {f"{EXISTING}.collectionName": REMOVE},
        EXISTING,
        NAMED,
    ),
    bad(
        "collection with a slash",
        use() | {f"{EXISTING}.collectionName": "books/../admin"},
        f"{EXISTING}.collectionName",
        "must be the name of a collection",
    ),
    *bad_in_one_way(
        "spec",
        DATASET,
        {
            "nothing to index into an existing Solr": create() | {"spec.dataset": REMOVE},
            "documents for a collection of the user's": use()
            | {"spec.dataset": {"generator": {"documents": 1}}},
        },
    ),
    bad(
        "generated queries for a collection of the user's",
        use() | {"spec.workload.queries": {"generated": {}}},
        "spec",
        GENERATED,
    ),
    *(
        bad(
            f"{path} of a collection of the user's",
            use() | {f"spec.collection.{path}": value},
            "spec",
            AS_IT_IS,
        )
        for path, value in {
            "shards": 2,
            "replicas": {"nrt": 1, "pull": 1},
            "router": {"name": "implicit"},
            "configSet": {"configMap": {"name": "books"}},
            "caches": {"filter": {"size": 1}},
            "maxBooleanClauses": 10,
            "autoCommit": {"maxDocuments": 1},
        }.items()
    ),
]
