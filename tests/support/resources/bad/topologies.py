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
)
from support.resources.small_resource import REMOVE, SOLR

HEAP = "must be a whole number of Mi or Gi, such as 512Mi or 2Gi"
MEMORY = "must be a whole number of bytes with or without a unit, such as 512Mi, 4Gi or 10G"
CPU = "must be cores or millicores, such as '2', '0.5' or 500m"
COVERS_HEAP = "resources.limits.memory must be at least 1.25 times heap"
SOLR_10 = "image.tag must not be of Solr 10, which is not supported yet; use a 9.x tag"
CONNECTION = "must set connectionString when mode is External, and only then"
ADDRESSES = "must be host:port, more of them after commas and no path"
CHROOT = "must be a path that starts with '/' and does not end with it, such as /benchmarks"
TOO_MANY_REPLICAS = "collection.replicas must not add up to more than target.solrCloud.nodes"

QUANTITIES = [
    bad("heap in Java's spelling", {f"{SOLR}.heap": "2g"}, f"{SOLR}.heap", HEAP),
    bad("heap in GB", {f"{SOLR}.heap": "2GB"}, f"{SOLR}.heap", HEAP),
    bad("heap with a fraction", {f"{SOLR}.heap": "1.5Gi"}, f"{SOLR}.heap", HEAP),
    bad("heap in decimal units", {f"{SOLR}.heap": "512M"}, f"{SOLR}.heap", HEAP),
    bad("negative heap", {f"{SOLR}.heap": "-1Gi"}, f"{SOLR}.heap", HEAP),
    bad("heap with a space", {f"{SOLR}.heap": "512 Mi"}, f"{SOLR}.heap", HEAP),
    bad("heap as a number", {f"{SOLR}.heap": 512}, f"{SOLR}.heap", NOT_STRING),
    bad(
        "ZooKeeper's heap in Java's spelling",
        {f"{SOLR}.zookeeper.heap": "256m"},
        f"{SOLR}.zookeeper.heap",
        HEAP,
    ),
    bad(
        "memory limit below the heap",
        {f"{SOLR}.resources": {"limits": {"memory": "256Mi"}}},
        SOLR,
        COVERS_HEAP,
    ),
    bad(
        "memory limit equal to the heap",
        {f"{SOLR}.resources": {"limits": {"memory": "512Mi"}}},
        SOLR,
        COVERS_HEAP,
    ),
    bad(
        "memory limit below the default heap",
        {f"{SOLR}.heap": REMOVE, f"{SOLR}.resources": {"limits": {"memory": "1Gi"}}},
        SOLR,
        COVERS_HEAP,
    ),
    bad(
        "memory limit below ZooKeeper's heap",
        {f"{SOLR}.zookeeper": {"resources": {"limits": {"memory": "300Mi"}}}},
        f"{SOLR}.zookeeper",
        COVERS_HEAP,
    ),
    bad(
        "memory in GB",
        {f"{SOLR}.resources": {"requests": {"memory": "2GB"}}},
        f"{SOLR}.resources.requests.memory",
        MEMORY,
    ),
    bad(
        "memory with a fraction",
        {"spec.load.resources": {"limits": {"memory": "0.5Gi"}}},
        "spec.load.resources.limits.memory",
        MEMORY,
    ),
    bad(
        "CPU as a number",
        {f"{SOLR}.resources": {"requests": {"cpu": 2}}},
        f"{SOLR}.resources.requests.cpu",
        NOT_STRING,
    ),
    bad(
        "CPU in words",
        {f"{SOLR}.resources": {"requests": {"cpu": "2 cores"}}},
        f"{SOLR}.resources.requests.cpu",
        CPU,
    ),
    bad(
        "no CPU at all",
        {"spec.dataset.indexing": {"resources": {"limits": {"cpu": "0"}}}},
        "spec.dataset.indexing.resources.limits.cpu",
        CPU,
    ),
    bad(
        "CPU request above the limit",
        {f"{SOLR}.resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1500m"}}},
        f"{SOLR}.resources",
        "requests.cpu must not be greater than limits.cpu",
    ),
    bad(
        "memory request above the limit",
        {"spec.load.resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1000Mi"}}},
        "spec.load.resources",
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
    bad(
        "no target",
        {"spec.target": {}},
        "spec.target",
        "must set exactly one of solrCloud, existing",
    ),
    bad("target left out", {"spec.target": REMOVE}, "spec.target", MISSING),
    bad("no nodes", {f"{SOLR}.nodes": 0}, f"{SOLR}.nodes", TOO_SMALL),
    bad("negative nodes", {f"{SOLR}.nodes": -1}, f"{SOLR}.nodes", TOO_SMALL),
    bad("101 nodes", {f"{SOLR}.nodes": 101}, f"{SOLR}.nodes", TOO_LARGE),
    bad("half a node", {f"{SOLR}.nodes": 1.5}, f"{SOLR}.nodes", NOT_INTEGER),
    bad("nodes in quotes", {f"{SOLR}.nodes": "2"}, f"{SOLR}.nodes", NOT_INTEGER),
    bad("nodes as a truth", {f"{SOLR}.nodes": True}, f"{SOLR}.nodes", NOT_INTEGER),
    bad("two ZooKeepers", {f"{SOLR}.zookeeper.replicas": 2}, "replicas", NOT_A_CHOICE),
    bad("no ZooKeeper", {f"{SOLR}.zookeeper.replicas": 0}, "replicas", NOT_A_CHOICE),
    bad("nine ZooKeepers", {f"{SOLR}.zookeeper.replicas": 9}, "replicas", NOT_A_CHOICE),
    bad(
        "provisioner that does not exist",
        {f"{SOLR}.provisioner": "Helm"},
        f"{SOLR}.provisioner",
        NOT_A_CHOICE,
    ),
    bad(
        "Solr 10 under the Solr Operator",
        {f"{SOLR}.image": {"tag": "10.0.0"}},
        SOLR,
        SOLR_10,
    ),
    bad(
        "Solr 10 in StatefulSets",
        {f"{SOLR}.provisioner": "StatefulSet", f"{SOLR}.image": {"tag": "10.0.0"}},
        SOLR,
        SOLR_10,
    ),
    bad(
        "slim Solr 10 under the Solr Operator",
        {f"{SOLR}.provisioner": "SolrOperator", f"{SOLR}.image": {"tag": "10-slim"}},
        SOLR,
        SOLR_10,
    ),
    bad(
        "ZooKeeper without a provider",
        {f"{SOLR}.provisioner": "StatefulSet", f"{SOLR}.zookeeper": {"mode": "Provided"}},
        SOLR,
        "zookeeper.mode must not be Provided with provisioner StatefulSet",
    ),
    bad(
        "ZooKeeper mode that does not exist",
        {f"{SOLR}.zookeeper": {"mode": "Embedded"}},
        f"{SOLR}.zookeeper.mode",
        NOT_A_CHOICE,
    ),
    bad(
        "outside ZooKeeper without its address",
        {f"{SOLR}.zookeeper": {"mode": "External"}},
        f"{SOLR}.zookeeper",
        CONNECTION,
    ),
    bad(
        "address of a ZooKeeper that is made",
        {f"{SOLR}.zookeeper": {"connectionString": "zk:2181"}},
        f"{SOLR}.zookeeper",
        CONNECTION,
    ),
    bad(
        "ZooKeeper without its port",
        {f"{SOLR}.zookeeper": {"mode": "External", "connectionString": "zk-0,zk-1"}},
        f"{SOLR}.zookeeper.connectionString",
        ADDRESSES,
    ),
    bad(
        "chroot in the connection string",
        {f"{SOLR}.zookeeper": {"mode": "External", "connectionString": "zk-0:2181/solr"}},
        f"{SOLR}.zookeeper.connectionString",
        ADDRESSES,
    ),
    bad(
        "chroot without a slash",
        {f"{SOLR}.zookeeper": {"chroot": "solr"}},
        f"{SOLR}.zookeeper.chroot",
        CHROOT,
    ),
    bad(
        "chroot with a slash at its end",
        {f"{SOLR}.zookeeper": {"chroot": "/solr/"}},
        f"{SOLR}.zookeeper.chroot",
        CHROOT,
    ),
    bad(
        "image with its tag",
        {f"{SOLR}.image": {"repository": "solr:9.10"}},
        f"{SOLR}.image.repository",
        "must be a repository without tag",
    ),
    bad(
        "tag that YAML reads as a number",
        {f"{SOLR}.image": {"tag": 9.1}},
        f"{SOLR}.image.tag",
        NOT_STRING,
    ),
    bad(
        "both kinds of storage",
        {f"{SOLR}.storage": {"ephemeral": {}, "persistent": {"size": "1Gi"}}},
        f"{SOLR}.storage",
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
    bad(
        "truth without quotes as a label",
        {f"{SOLR}.nodeSelector": {"ssd": True}},
        f"{SOLR}.nodeSelector.ssd",
        NOT_STRING,
    ),
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
    bad("no shards", {"spec.collection.shards": 0}, "spec.collection.shards", TOO_SMALL),
    bad(
        "more replicas than nodes",
        {"spec.collection.replicas": {"nrt": 3}},
        "spec",
        TOO_MANY_REPLICAS,
    ),
    bad(
        "more replicas of all types than nodes",
        {"spec.collection.replicas": {"tlog": 1, "pull": 2}},
        "spec",
        TOO_MANY_REPLICAS,
    ),
    bad(
        "pull replicas only",
        {"spec.collection.replicas": {"pull": 1}},
        "spec.collection.replicas",
        "nrt + tlog must be at least 1, a shard needs a leader",
    ),
    bad(
        "cache that does not exist",
        {"spec.collection.caches": {"queries": {"size": 1}}},
        "spec.collection.caches.queries",
        UNKNOWN,
    ),
    bad(
        "cache field that does not exist",
        {"spec.collection.caches": {"filter": {"maxSize": 1}}},
        "spec.collection.caches.filter.maxSize",
        UNKNOWN,
    ),
    bad(
        "document cache by memory",
        {"spec.collection.caches": {"document": {"maxRamMegabytes": 1}}},
        "spec.collection.caches.document.maxRamMegabytes",
        UNKNOWN,
    ),
    bad(
        "cache by entries and by memory",
        {"spec.collection.caches": {"filter": {"size": 1, "maxRamMegabytes": 1}}},
        "spec.collection.caches.filter",
        "must not set more than one of size, maxRamMegabytes",
    ),
    bad(
        "autowarming in percent",
        {"spec.collection.caches": {"filter": {"autowarmCount": "10%"}}},
        "spec.collection.caches.filter.autowarmCount",
        NOT_INTEGER,
    ),
    bad(
        "negative cache size",
        {"spec.collection.caches": {"filter": {"size": -1}}},
        "spec.collection.caches.filter.size",
        TOO_SMALL,
    ),
    bad(
        "router in capitals",
        {"spec.collection.router": {"name": "CompositeId"}},
        "spec.collection.router.name",
        NOT_A_CHOICE,
    ),
    bad(
        "field name with a space",
        {"spec.collection.router": {"field": "my field"}},
        "spec.collection.router.field",
        "must be the name of a field",
    ),
    bad(
        "config set as a path",
        {"spec.collection.configSet": {"configMap": {"name": "conf/solr"}}},
        "spec.collection.configSet.configMap",
        "must be the name of an object",
    ),
]
