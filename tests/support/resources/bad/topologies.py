"""What users get wrong about quantities, the target and the collection."""

from support.resources.bad.rows import (
    MISSING,
    NOT_A_CHOICE,
    NOT_INTEGER,
    NOT_STRING,
    TOO_LARGE,
    TOO_SMALL,
    UNKNOWN,
    bad,
    bad_in_one_way,
    wrong,
)
from support.resources.small_resource import REMOVE, SOLR

HEAP = "must be a whole number of Mi or Gi, such as 512Mi or 2Gi"
MEMORY = "must be a whole number of bytes, such as 512Mi, 4Gi or 10G"
CPU = "must be cores or millicores, such as '2', '0.5' or 500m"
COVERS_HEAP = "resources.limits.memory must be at least 1.25 times heap"
SOLR_10 = "image.tag must not be of Solr 10 with provisioner SolrOperator"
CONNECTION = "must set connectionString when mode is External, and only then"
ADDRESSES = "must be host:port, more of them after commas and no path"
CHROOT = "must be a path that starts with '/' and does not end with it, such as /benchmarks"
TOO_MANY_REPLICAS = "collection.replicas must not add up to more than target.solrCloud.nodes"

QUANTITIES = [
    wrong("heap in Java's spelling", f"{SOLR}.heap", "2g", HEAP),
    wrong("heap in GB", f"{SOLR}.heap", "2GB", HEAP),
    wrong("heap with a fraction", f"{SOLR}.heap", "1.5Gi", HEAP),
    wrong("heap in decimal units", f"{SOLR}.heap", "512M", HEAP),
    wrong("negative heap", f"{SOLR}.heap", "-1Gi", HEAP),
    wrong("heap with a space", f"{SOLR}.heap", "512 Mi", HEAP),
    wrong("heap as a number", f"{SOLR}.heap", 512, NOT_STRING),
    wrong("ZooKeeper's heap in Java's spelling", f"{SOLR}.zookeeper.heap", "256m", HEAP),
    *bad_in_one_way(
        SOLR,
        COVERS_HEAP,
        {
            "memory limit below the heap": {f"{SOLR}.resources": {"limits": {"memory": "256Mi"}}},
            "memory limit equal to the heap": {
                f"{SOLR}.resources": {"limits": {"memory": "512Mi"}}
            },
            "memory limit below the default heap": {
                f"{SOLR}.heap": REMOVE,
                f"{SOLR}.resources": {"limits": {"memory": "1Gi"}},
            },
        },
    ),
    wrong(
        "memory limit below ZooKeeper's heap",
        f"{SOLR}.zookeeper",
        {"resources": {"limits": {"memory": "300Mi"}}},
        COVERS_HEAP,
    ),
    wrong("memory in GB", f"{SOLR}.resources.requests.memory", "2GB", MEMORY),
    wrong("memory with a fraction", "spec.load.resources.limits.memory", "0.5Gi", MEMORY),
    wrong("CPU as a number", f"{SOLR}.resources.requests.cpu", 2, NOT_STRING),
    wrong("CPU in words", f"{SOLR}.resources.requests.cpu", "2 cores", CPU),
    wrong("no CPU at all", "spec.dataset.indexing.resources.limits.cpu", "0", CPU),
    wrong(
        "CPU request above the limit",
        f"{SOLR}.resources",
        {"requests": {"cpu": "2"}, "limits": {"cpu": "1500m"}},
        "requests.cpu must not be greater than limits.cpu",
    ),
    wrong(
        "memory request above the limit",
        "spec.load.resources",
        {"requests": {"memory": "1Gi"}, "limits": {"memory": "1000Mi"}},
        "requests.memory must not be greater than limits.memory",
    ),
    bad(
        "claim without a size",
        {f"{SOLR}.storage": {"persistent": {}}},
        f"{SOLR}.storage.persistent.size",
        MISSING,
    ),
]

TOPOLOGY = [
    wrong("no target", "spec.target", {}, "must set exactly one of solrCloud, existing"),
    wrong("target left out", "spec.target", REMOVE, MISSING),
    wrong("no nodes", f"{SOLR}.nodes", 0, TOO_SMALL),
    wrong("negative nodes", f"{SOLR}.nodes", -1, TOO_SMALL),
    wrong("101 nodes", f"{SOLR}.nodes", 101, TOO_LARGE),
    wrong("half a node", f"{SOLR}.nodes", 1.5, NOT_INTEGER),
    wrong("nodes in quotes", f"{SOLR}.nodes", "2", NOT_INTEGER),
    wrong("nodes as a truth", f"{SOLR}.nodes", True, NOT_INTEGER),
    bad("two ZooKeepers", {f"{SOLR}.zookeeper.replicas": 2}, "replicas", NOT_A_CHOICE),
    bad("no ZooKeeper", {f"{SOLR}.zookeeper.replicas": 0}, "replicas", NOT_A_CHOICE),
    bad("nine ZooKeepers", {f"{SOLR}.zookeeper.replicas": 9}, "replicas", NOT_A_CHOICE),
    wrong("provisioner that does not exist", f"{SOLR}.provisioner", "Helm", NOT_A_CHOICE),
    *bad_in_one_way(
        SOLR,
        SOLR_10,
        {
            "Solr 10 under the Solr Operator": {f"{SOLR}.image": {"tag": "10.0.0"}},
            "slim Solr 10 under the Solr Operator": {
                f"{SOLR}.provisioner": "SolrOperator",
                f"{SOLR}.image": {"tag": "10-slim"},
            },
        },
    ),
    bad(
        "ZooKeeper without a provider",
        {f"{SOLR}.provisioner": "StatefulSet", f"{SOLR}.zookeeper": {"mode": "Provided"}},
        SOLR,
        "zookeeper.mode must not be Provided with provisioner StatefulSet",
    ),
    wrong("ZooKeeper mode that does not exist", f"{SOLR}.zookeeper.mode", "Embedded", NOT_A_CHOICE),
    wrong(
        "outside ZooKeeper without its address",
        f"{SOLR}.zookeeper",
        {"mode": "External"},
        CONNECTION,
    ),
    wrong(
        "address of a ZooKeeper that is made",
        f"{SOLR}.zookeeper",
        {"connectionString": "zk:2181"},
        CONNECTION,
    ),
    *bad_in_one_way(
        f"{SOLR}.zookeeper.connectionString",
        ADDRESSES,
        {
            "ZooKeeper without its port": {
                f"{SOLR}.zookeeper": {"mode": "External", "connectionString": "zk-0,zk-1"}
            },
            "chroot in the connection string": {
                f"{SOLR}.zookeeper": {"mode": "External", "connectionString": "zk-0:2181/solr"}
            },
        },
    ),
    wrong("chroot without a slash", f"{SOLR}.zookeeper.chroot", "solr", CHROOT),
    wrong("chroot with a slash at its end", f"{SOLR}.zookeeper.chroot", "/solr/", CHROOT),
    wrong(
        "image with its tag",
        f"{SOLR}.image.repository",
        "solr:9.10",
        "must be a repository without tag",
    ),
    wrong("tag that YAML reads as a number", f"{SOLR}.image.tag", 9.1, NOT_STRING),
    wrong(
        "both kinds of storage",
        f"{SOLR}.storage",
        {"ephemeral": {}, "persistent": {"size": "1Gi"}},
        "must not set more than one of ephemeral, persistent",
    ),
    bad(
        "heap among the flags",
        {f"{SOLR}.solrOpts": "-Dsolr.x=1 -Xmx2g"},
        SOLR,
        "solrOpts must not contain -Xms, -Xmx or another heap size, set heap instead",
    ),
    bad(
        "heap among the garbage collector's flags",
        {f"{SOLR}.gcTune": "-XX:+UseG1GC -XX:MaxHeapSize=2g"},
        SOLR,
        "gcTune must not contain -Xms, -Xmx or another heap size, set heap instead",
    ),
    wrong("truth without quotes as a label", f"{SOLR}.nodeSelector.ssd", True, NOT_STRING),
    bad(
        "toleration without key",
        {f"{SOLR}.tolerations": [{"value": "solr"}]},
        f"{SOLR}.tolerations[0]",
        "must set key when operator is Equal",
    ),
    bad(
        "toleration with a useless value",
        {f"{SOLR}.tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]},
        f"{SOLR}.tolerations[0]",
        "must not set value when operator is Exists",
    ),
    wrong("no shards", "spec.collection.shards", 0, TOO_SMALL),
    *bad_in_one_way(
        "spec",
        TOO_MANY_REPLICAS,
        {
            "more replicas than nodes": {"spec.collection.replicas": {"nrt": 3}},
            "more replicas of all types than nodes": {
                "spec.collection.replicas": {"tlog": 1, "pull": 2}
            },
        },
    ),
    wrong(
        "pull replicas only",
        "spec.collection.replicas",
        {"pull": 1},
        "nrt + tlog must be at least 1, a shard needs a leader",
    ),
    wrong("cache that does not exist", "spec.collection.caches.queries", {"size": 1}, UNKNOWN),
    wrong("cache field that does not exist", "spec.collection.caches.filter.maxSize", 1, UNKNOWN),
    wrong(
        "document cache by memory", "spec.collection.caches.document.maxRamMegabytes", 1, UNKNOWN
    ),
    wrong(
        "cache by entries and by memory",
        "spec.collection.caches.filter",
        {"size": 1, "maxRamMegabytes": 1},
        "must not set more than one of size, maxRamMegabytes",
    ),
    wrong(
        "autowarming in percent", "spec.collection.caches.filter.autowarmCount", "10%", NOT_INTEGER
    ),
    wrong("negative cache size", "spec.collection.caches.filter.size", -1, TOO_SMALL),
    wrong("router in capitals", "spec.collection.router.name", "CompositeId", NOT_A_CHOICE),
    wrong(
        "field name with a space",
        "spec.collection.router.field",
        "my field",
        "must be the name of a field",
    ),
    wrong(
        "config set as a path",
        "spec.collection.configSet.configMap",
        {"name": "conf/solr"},
        "must be the name of an object",
    ),
]
