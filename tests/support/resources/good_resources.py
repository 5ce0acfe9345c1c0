"""Resources that only look wrong, and updates of a stored resource."""

from typing import Any

from support.resources.bad.datasets import GOOD_DATA
from support.resources.bad.exports import GOOD_EXPORTS
from support.resources.bad.objectives import GOOD_OBJECTIVES
from support.resources.bad.workloads import GOOD_WORKLOADS
from support.resources.pod_options import GOOD_POD_OPTIONS
from support.resources.small_resource import (
    PLANNED,
    REMOVE,
    SOLR,
    STEP,
    Changes,
    create,
    custom_locustfile,
    resource,
    step,
    use,
)

GOOD: dict[str, Changes] = {
    **GOOD_DATA,
    **GOOD_OBJECTIVES,
    "nothing but what is required": {"spec.suspend": REMOVE},
    "steps without names": {
        "spec.load.steps": [
            {"users": 4, "requests": 1},
            {"users": 5, "requests": 1},
            {"requestsPerSecond": 0.5, "requests": 1},
            {"requestsPerSecond": 5.0, "requests": 1},
            {"name": "users-4-again", "users": 4, "requests": 1},
            {"name": "users-6", "users": 6, "requests": 1},
        ]
    },
    **GOOD_EXPORTS,
    "default name of the same step, with a zero": {f"{STEP}.name": "users-05", f"{STEP}.users": 5},
    "one seed for all": {"spec.seed": 7},
    "compared with another benchmark": {
        "spec.comparison": {
            "baseline": {"benchmark": {"name": "juniper"}},
            "smallestEffectPercent": 2.5,
            "primary": "RequestsPerSecond",
        }
    },
    "compared with a stored report": {
        "spec.comparison": {"baseline": {"report": {"configMap": {"name": "juniper"}}}}
    },
    "memory limit of 1.25 times heap": {f"{SOLR}.resources": {"limits": {"memory": "640Mi"}}},
    "memory in bytes": {f"{SOLR}.resources": {"limits": {"memory": "4294967296"}}},
    "memory in decimal units": {f"{SOLR}.resources": {"limits": {"memory": "2G"}}},
    "CPU in every spelling": {
        f"{SOLR}.resources": {"requests": {"cpu": "0.5"}, "limits": {"cpu": "1.5"}},
        "spec.load.resources": {"requests": {"cpu": "250m"}, "limits": {"cpu": "1"}},
    },
    "registry with a port": {
        f"{SOLR}.image": {"repository": "registry.example.org:5000/search/solr", "tag": "9.10.1"}
    },
    "tag that only begins like Solr 10": {f"{SOLR}.image": {"tag": "100-own"}},
    "Solr 10 in StatefulSets": {
        f"{SOLR}.provisioner": "StatefulSet",
        f"{SOLR}.image": {"tag": "10.0.0"},
    },
    "ZooKeeper by the Solr Operator": {
        "metadata.name": "a" * 32,
        f"{SOLR}.zookeeper": {"mode": "Provided", "replicas": 3, "chroot": "/a/b.c"},
    },
    "outside ZooKeeper": {
        f"{SOLR}.provisioner": "StatefulSet",
        f"{SOLR}.zookeeper": {
            "mode": "External",
            "connectionString": "zk-0.zk.search.svc:2181,10.0.0.1:2182",
            "chroot": "/benchmarks",
        },
    },
    "five ZooKeepers": {f"{SOLR}.zookeeper": {"replicas": 5, "heap": "1Gi"}},
    "storage on a claim": {f"{SOLR}.storage": {"persistent": {"size": "10Gi"}}},
    "storage on the node, bounded": {f"{SOLR}.storage": {"ephemeral": {"sizeLimit": "10Gi"}}},
    "as many replicas as nodes": {"spec.collection.replicas": {"tlog": 1, "pull": 1}},
    "more shards than nodes": {"spec.collection.shards": 8},
    "every cache": {
        "spec.collection.caches": {
            "filter": {"maxRamMegabytes": 64, "autowarmCount": 0},
            "queryResult": {"size": 100_000, "initialSize": 1000},
            "document": {"enabled": False},
            "fieldValue": {"size": 0, "className": "solr.CaffeineCache"},
        }
    },
    "no soft commits": {"spec.collection.autoSoftCommit": {"maxMilliseconds": -1}},
    "URLs with port, path and query": {
        "spec.dataset": {
            "http": {
                "urls": ["https://example.org:8443/a.json.gz?v=1&x=%20"],
                "sha256": ["0123456789abcdef" * 4],
                "auth": {"bearerSecret": {"name": "files"}},
                "tls": {"caConfigMap": {"name": "ca", "key": "root.pem"}},
                "proxyUrl": "http://proxy.example.org:3128",
                "maxGibibytes": 1,
            }
        },
        "spec.workload.queries": {"configMap": {"name": "my.queries"}},
    },
    "files on a volume": {
        "spec.dataset": {
            "persistentVolumeClaim": {"claimName": "books", "paths": ["2024/*.xml", "a b.csv"]}
        },
        "spec.workload.queries": {"persistentVolumeClaim": {"claimName": "q", "path": "q.txt"}},
    },
    "documents in a ConfigMap": {
        "spec.dataset": {"configMap": {"name": "books", "keys": ["books.json"]}, "format": "JSON"},
        "spec.workload.queries": {"configMap": {"name": "q", "key": "q.jsonl"}},
    },
    "a proxy": {
        "spec.companions": [
            {"configMap": {"name": "manifests"}},
            {"configMap": {"name": "more", "key": "a.yaml"}, "values": {"WORKERS_2": "12"}},
        ]
    },
    "the first of all documents": {"spec.dataset.firstDocuments": 1000},
    "10,000,000,000 documents": {"spec.dataset.generator.documents": 10_000_000_000},
    "steps by requests": {f"{STEP}.durationSeconds": REMOVE, f"{STEP}.requests": 1000},
    "as many workers as users": {"spec.load.workers": 4},
    "bounds of the verdict at their ends": {
        "spec.load.validity": {
            "percentile": 99,
            "maxWorkerCpuPercent": 100,
            "maxThrottledPercent": 0,
            "maxLagMilliseconds": 1,
            "maxDroppedPercent": 100,
            "maxLatePercent": 0,
            "maxFailedPercent": 0,
            "maxPartialPercent": 100,
            "maxEmptyPercent": 100,
        }
    },
    "no telemetry": {"spec.load.telemetry": {"collect": "None"}},
    "planned rate with everything": PLANNED
    | {
        "spec.load.workers": 3,
        f"{STEP}.requestsPerSecond": 0.001,
        f"{STEP}.arrivalDistribution": "Uniform",
        f"{STEP}.maxInFlight": 3,
        f"{STEP}.rampSeconds": 60,
    },
    "rate that changes, with a jump": PLANNED
    | {
        f"{STEP}.rateChanges": [
            {"atSeconds": 0, "requestsPerSecond": 5},
            {"atSeconds": 1, "requestsPerSecond": 0.001},
            {"atSeconds": 1, "requestsPerSecond": 1000},
        ]
    },
    "replay": {
        "spec.workload.queries": {"configMap": {"name": "log"}},
        f"{STEP}.users": REMOVE,
        f"{STEP}.replay": {"speedFactor": 2.5},
        f"{STEP}.maxInFlight": 10,
    },
    "paced users": {f"{STEP}.pacingMilliseconds": 1000},
    "as many planned requests as wanted": PLANNED
    | {
        f"{STEP}.requestsPerSecond": 1_000_000,
        f"{STEP}.durationSeconds": REMOVE,
        f"{STEP}.requests": 1000,
    },
    "32 steps": {"spec.load.steps": [step(name=f"step-{i}") for i in range(32)]},
    "equal bounds of a think time": {
        f"{STEP}.thinkTime": {"uniform": {"minMilliseconds": 100, "maxMilliseconds": 100}}
    },
    "jitter of a think time": {
        f"{STEP}.thinkTime": {"constantMilliseconds": 100, "jitterPercent": 12.5}
    },
    "toleration of everything": {f"{SOLR}.tolerations": [{"operator": "Exists"}]},
    "flags that are not the heap": {
        f"{SOLR}.solrOpts": "-Xss512k -Dsolr.x=-1",
        f"{SOLR}.gcTune": "-XX:+UseG1GC -Xmn256m",
    },
    "locustfile with everything": custom_locustfile(
        configMap={"name": "check-outs", "key": "check_out.py"},
        classes=["CheckOut", "_Patron2"],
        tags=["fast"],
        excludeTags=["slow", "very slow"],
        environment={"BRANCH": "main", "_x1": "", "solrbench": "a=b"},
    ),
    "locustfile against an existing Solr": custom_locustfile() | create(),
    "workers that may be lost": {"spec.load.onWorkerLoss": "Redistribute", "spec.load.workers": 2},
    "repeats on fresh targets, in a random order": {
        "spec.load.repeats": {"count": 100, "startOn": "FreshTarget", "order": "Random"}
    },
    "repeats on fresh data of an existing target": create()
    | {"spec.load.repeats": {"startOn": "FreshData", "order": "Interleaved"}},
    "steps that last as long as one repeat may": {
        f"{STEP}.durationSeconds": 60,
        "spec.deadlines.measuringSeconds": 60,
        "spec.load.repeats": {"count": 9, "startOn": "FreshData", "order": "Listed"},
    },
    "repeats until variants are decided": {
        "spec.target.variants": [
            {"name": "nodes", "endpoint": "Nodes"},
            {"name": "service", "endpoint": "Service"},
        ],
        "spec.load.repeats": {"until": "Decided"},
    },
    "repeats until a baseline is decided": {
        "spec.comparison": {"baseline": {"benchmark": {"name": "juniper"}}},
        "spec.load.repeats": {"until": "Decided", "min": 3, "max": 3, "startOn": "FreshTarget"},
    },
    "equal caches for each step, by a warm-up with queries of its own": {
        "spec.load.between": {"caches": "Empty", "warmUp": {"requests": 10_000, "users": 2}},
        "spec.workload.warmUpQueries": {"configMap": {"name": "others"}, "order": "Sequential"},
    },
    "warm-up with other generated queries": {
        "spec.workload.warmUpQueries": {"generated": {}, "seed": 9}
    },
    "cold caches for each repeat": {
        "spec.load.between": {"before": "EachRepeat", "caches": "Empty", "warmUp": {"requests": 0}}
    },
    "another warm-up for each step of a collection of the user's": use()
    | {"spec.load.between": {"caches": "Keep", "warmUp": {"durationSeconds": 5}}},
    "warm-up by time": {"spec.warmUp": {"durationSeconds": 30, "users": 2}},
    "no warm-up": {"spec.warmUp": {"requests": 0}},
    "warm-up until steady": {"spec.warmUp": {"untilSteady": {}}},
    "warm-up until steady, just long enough": {
        "spec.warmUp": {
            "untilSteady": {
                "maxSeconds": 60,
                "windows": 3,
                "windowSeconds": 20,
                "windowRequests": 1,
                "deviationPercent": 1,
            },
            "users": 2,
        }
    },
    "existing nodes with everything": create(
        urls=["https://a.example.org/solr", "https://[2001:db8::1]:8983/search/solr"],
        basicAuth={"secret": {"name": "login"}},
        tls={"caSecret": {"name": "ca", "key": "root.pem"}},
        collectionPolicy="Create",
    ),
    "existing SolrCloud by name": {
        "spec.target": {
            "existing": {"solrCloudName": "search", "tls": {"caSecret": {"name": "ca"}}}
        }
    },
    "more replicas than an existing Solr may have": create()
    | {"spec.collection.replicas": {"nrt": 9}},
    "collection of the user's": use(),
    "collection of the user's, defaults said aloud": use()
    | {"spec.collection": {"shards": 1, "replicas": {"nrt": 1}, "router": {}, "caches": {}}},
    "every kind of endpoint": {
        "spec.target.variants": [
            {"name": "raw", "endpoint": "Nodes"},
            {"name": "service", "endpoint": "Service"},
            {"name": "proxies", "urls": ["http://10.0.0.1", "http://proxy.web.svc:8080/a/solr/"]},
        ]
    },
    "a single endpoint": {"spec.target.variants": [{"name": "service", "endpoint": "Service"}]},
    "8 variants of 4 steps": {
        "spec.target.variants": [{"name": f"v{i}", "endpoint": "Nodes"} for i in range(8)],
        "spec.load.steps": [step(name=f"step-{i}") for i in range(4)],
    },
    "marked documents": {
        "spec.load.visibility": {
            "intervalSeconds": 1,
            "commitWithinMilliseconds": 1,
            "timeoutSeconds": 600,
            "fields": {"title_s": "probe"},
        }
    },
    "steps that index beside others, on fresh data": {
        "spec.load.repeats": {"count": 3, "startOn": "FreshData"},
        "spec.load.steps": [
            step(indexing={}),
            step(name="queries"),
            {
                "name": "planned",
                "requestsPerSecond": 20,
                "durationSeconds": 10,
                "indexing": {"batchSize": 10_000, "commitWithinMilliseconds": 1},
            },
        ],
        "spec.objectives": [{"name": "docs", "throughput": {"minDocumentsPerSecond": 5000}}],
    },
    "steps that index documents like those of files": {
        "spec.dataset": {"configMap": {"name": "books", "keys": ["books.jsonl"]}},
        "spec.workload.queries": {"configMap": {"name": "queries"}},
        "spec.load.steps": [step(indexing={})],
    },
    "prefixes of ids and routed queries": {
        "spec.dataset.generator.routePrefixes": 65_536,
        "spec.workload.queries.generated.routedPercent": 100,
    },
    "parameters of routing": {
        "spec.collection.router": {"name": "implicit"},
        "spec.workload.parameters": {
            "_route_": "shard1",
            "shards.preference": "replica.type:PULL,replica.location:local",
        },
    },
    **GOOD_WORKLOADS,
    **GOOD_POD_OPTIONS,
    "name of 40 characters": {"metadata.name": "a" * 40},
}

_REFUSED: dict[str, Changes] = {
    "more nodes": {f"{SOLR}.nodes": 3},
    "more heap": {f"{SOLR}.heap": "1Gi"},
    "more ZooKeepers": {f"{SOLR}.zookeeper": {"replicas": 3}},
    "more shards": {"spec.collection.shards": 2},
    "another cache size": {"spec.collection.caches": {"filter": {"size": 1}}},
    "more documents": {"spec.dataset.generator.documents": 1001},
    "another seed": {"spec.workload.queries.seed": 2},
    "more users": {f"{STEP}.users": 5},
    "one more step": {"spec.load.steps": [resource()["spec"]["load"]["steps"][0], step()]},
    "a longer warm-up": {"spec.warmUp.requests": 11},
    "no warm-up any more": {"spec.warmUp": REMOVE},
    "other pods": {"spec.podOptions": [{}]},
    "another baseline": {"spec.comparison": {"baseline": {"benchmark": {"name": "juniper"}}}},
    "more retries": {"spec.backoffLimit": 3},
    "a longer deadline": {"spec.deadlines": {"indexingSeconds": 5}},
}
_NEVER_CHANGES = "must not change after creation; delete the benchmark and create a new one"
REFUSED_UPDATES = {
    name: ({path: value}, f"{'.'.join(path.split('.')[:2])} {_NEVER_CHANGES}")
    for name, changes in _REFUSED.items()
    for path, value in changes.items()
}
"""Changes to `updatable()` after its creation, and what the API server says."""

ACCEPTED_UPDATES: dict[str, Changes] = {
    "going on": {"spec.suspend": False},
    "other cleanup": {"spec.cleanup": "Never"},
    "time to live": {"spec.ttlSecondsAfterFinished": 3600},
    "results elsewhere": {
        "spec.results": {"export": {"persistentVolumeClaim": {"claimName": "reports"}}}
    },
    "a default said aloud": {"spec.backoffLimit": 2, f"{SOLR}.zookeeper": {"replicas": 1}},
}


def updatable() -> dict[str, Any]:
    """Return the resource that the updates start from."""
    return resource({"spec.warmUp": {"requests": 10}})
