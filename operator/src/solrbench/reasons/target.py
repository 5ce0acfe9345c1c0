"""Reasons of the target stage: Solr, ZooKeeper, companions, and why a pod does not run."""

from solrbench.reasons.kinds import Kind, Reason


class TargetReason(Reason):
    """Solr, ZooKeeper and the collection, provisioned or existing."""

    READY = Kind.DONE.reason(
        "All nodes and replicas are active, and the settings read back match the spec."
    )
    REMOVING_OLD_TARGET = Kind.WAITING.reason(
        "Pods of the previous attempt are terminating.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    STARTING_REPEAT = Kind.WAITING.reason(
        "A repeat starts on a fresh target or fresh data, as `load.repeats.startOn` says."
    )
    ZOOKEEPER_NOT_READY = Kind.WAITING.reason(
        "Not all members have joined the ZooKeeper ensemble.",
        "Wait; if it lasts, read the logs of the ZooKeeper pods.",
        word="ZooKeeperNotReady",
    )
    ZOOKEEPER_OPERATOR_MISSING = Kind.WARNING.reason(
        "`zookeeper.mode` is Provided, but the cluster does not serve ZookeeperClusters.",
        "Install the ZooKeeper operator, or set `zookeeper.mode` to Ensemble.",
        word="ZooKeeperOperatorMissing",
    )
    ZOOKEEPER_UNREACHABLE = Kind.WARNING.reason(
        "No member of the external ZooKeeper ensemble accepts a connection from the operator.",
        "Check `zookeeper.connectionString`, whose host names must be resolvable from every"
        " namespace, and network policies.",
        word="ZooKeeperUnreachable",
    )
    SCHEMA_NOT_PUBLISHED = Kind.WAITING.reason(
        "The API server has not published the schema of a new definition.", "Wait some seconds."
    )
    SOLR_OPERATOR_MISSING = Kind.WARNING.reason(
        "The cluster does not serve SolrClouds.",
        "Install the Apache Solr Operator, or set `provisioner` to StatefulSet; for an existing"
        " target, set `urls`.",
    )
    SOLR_OPERATOR_NOT_RUNNING = Kind.WARNING.reason(
        "The Solr Operator has not reconciled the SolrCloud within a minute.",
        "Check that the Solr Operator is running and watches the namespace of the benchmark.",
    )
    SOLR_CLOUD_NAME_TAKEN = Kind.PERMANENT.reason(
        "A SolrCloud with the name of the benchmark exists and belongs to something else.",
        "Give the benchmark another name.",
    )
    SOLR_CLOUD_NOT_FOUND = Kind.WARNING.reason(
        "The SolrCloud that `target.existing.solrCloudName` names does not exist.",
        "Correct the name, or create the SolrCloud.",
    )
    SOLR_CLOUD_NOT_READY = Kind.WAITING.reason(
        "The SolrCloud does not have all its nodes ready with the current spec.",
        "Wait; if it lasts, follow the hint in the message.",
    )
    SOLR_NOT_READY = Kind.WAITING.reason(
        "Not all Solr pods are ready.", "Wait; if it lasts, read the logs of the Solr pods."
    )
    SOLR_NOT_LIVE = Kind.WAITING.reason(
        "Not all Solr nodes are among the live nodes in ZooKeeper.",
        "Wait; if it lasts, read the logs of the Solr nodes.",
    )
    SOLR_UNREACHABLE = Kind.WAITING.reason(
        "Solr did not respond to a request of the operator, or what responded is not Solr.",
        "Wait; if it lasts, check that the URL leads to Solr, and network policies.",
    )
    SOLR_ERROR = Kind.WARNING.reason(
        "Solr responded to a request of the operator with an error.",
        "Read Solr's message; server errors are tried again, client errors end the benchmark.",
    )
    UNSUPPORTED_SOLR_VERSION = Kind.PERMANENT.reason(
        "A node runs a version of Solr other than 9.x or 10.x.",
        "Set `target.solrCloud.image` to Solr 9.x or 10.x, or choose another existing target.",
    )
    FIELD_NOT_IN_VERSION = Kind.PERMANENT.reason(
        "A field of the spec sets what the version of Solr does not know.",
        "Leave out or change the field that the message names.",
    )
    HEAP_MISMATCH = Kind.PERMANENT.reason(
        "The maximum heap that a Solr node or ZooKeeper reports differs from the spec.",
        "Remove heap options, such as `SOLR_HEAP`, from the environment of the image.",
    )
    CREATING_COLLECTION = Kind.WAITING.reason(
        "The existing nodes respond; the collection is created next.", "Wait some seconds."
    )
    COLLECTION_NOT_FOUND = Kind.WARNING.reason(
        "The collection that `target.existing.collectionName` names does not exist.",
        "Correct the name, or create the collection.",
    )
    COLLECTION_EXISTS = Kind.PERMANENT.reason(
        "The existing Solr has a collection of this name that the benchmark did not create.",
        "Give the benchmark another name.",
    )
    COLLECTION_NOT_CREATED = Kind.WARNING.reason(
        "Solr could not create the collection because its nodes could not reach each other.",
        "Wait; if it lasts, check DNS and network policies between the nodes.",
    )
    COLLECTION_REFUSED = Kind.PERMANENT.reason(
        "Solr could not create the collection from its config set.",
        "Correct the config set that `collection.configSet` names.",
    )
    INVALID_CONFIG_SET = Kind.PERMANENT.reason(
        "The ConfigMap of the config set has neither `solrconfig.xml` nor a zip archive.",
        "Add `solrconfig.xml` and a schema, or `configset.zip`.",
    )
    SETTING_NOT_APPLIED = Kind.PERMANENT.reason(
        "A cache or query setting read back from Solr differs from the spec.",
        "Declare the cache in `solrconfig.xml`: the Config API only changes declared caches.",
    )
    REPLICAS_NOT_ACTIVE = Kind.WAITING.reason(
        "Replicas are recovering or down.", "Wait; if it lasts, read the logs of the Solr nodes."
    )
    WRONG_REPLICAS = Kind.PERMANENT.reason(
        "The collection has other shards or replica types than the spec.",
        "Create the benchmark again; if it recurs, report it with Solr's log.",
    )
    FOREIGN_NODE = Kind.PERMANENT.reason(
        "Solr reports a replica on a host that is not one of the target's nodes.",
        "Do not change Solr's host name in its image, nor share the ZooKeeper path with others.",
    )
    UNEVEN_PLACEMENT = Kind.PERMANENT.reason(
        "Replicas are not spread evenly over the nodes, so the load would not be either.",
        "Remove placement plugins or rules of that Solr, or change shards, replicas or nodes.",
    )
    TOO_FEW_NODES = Kind.PERMANENT.reason(
        "The existing Solr has fewer live nodes than the collection has replicas of a shard.",
        "Lower `collection.replicas`, or add nodes.",
    )
    CORES_NOT_READY = Kind.WAITING.reason(
        "Solr's metrics do not show all replicas, as while a node starts.",
        "Wait; if it lasts, read the logs of the Solr nodes.",
    )
    TARGET_POD_LOST = Kind.WARNING.reason(
        "A pod of Solr or ZooKeeper was replaced or restarted after the target was ready.",
        "Check its node. Target and data are created again, up to `spec.backoffLimit` times.",
    )
    COLLECTION_LOST = Kind.WARNING.reason(
        "The collection that a point of a sweep was to use again is not there.",
        "Nothing needs to be done: target and data are created again.",
    )
    TARGET_NODE_LOST = Kind.WARNING.reason(
        "A node of the existing Solr left or was restarted during the benchmark.",
        "Keep that Solr running unchanged during the benchmark.",
    )
    TARGET_UNREACHABLE = Kind.WARNING.reason(
        "The target did not respond to the operator for a minute, or the load master at its start.",
        "Check that Solr is running and that network policies allow the connection.",
    )


class CompanionReason(Reason):
    """Objects of `spec.companions`, made beside the target."""

    COMPANION_REFUSED = Kind.PERMANENT.reason(
        "The manifests of the companions have a kind or a field that companions must not have,"
        " are too many or too large, or are no YAML.",
        "Correct what the message names.",
    )
    COMPANIONS_CHANGED = Kind.PERMANENT.reason(
        "The manifests of the companions changed after the benchmark had made them.",
        "Create the benchmark again, so that all of it is measured with the same companions.",
    )
    COMPANION_NOT_READY = Kind.WAITING.reason(
        "Not all pods of the companions are ready.",
        "Wait; if it lasts, read the logs of the pods that the message names.",
    )
    COMPANION_LOST = Kind.WARNING.reason(
        "A pod of the companions was replaced or restarted after the target was ready.",
        "Check its log; target and data are created again, up to `spec.backoffLimit` times.",
    )


class PodReason(Reason):
    """Pods of the target, of the index Job and of the load."""

    FAILED_CREATE = Kind.WARNING.reason(
        "The API server refuses the pods of a StatefulSet or Job, as a ResourceQuota, Pod"
        " Security, a security context constraint, a policy or an admission webhook asks.",
        "Change what the message names; the controller of the StatefulSet or Job tries again.",
    )
    UNSCHEDULABLE = Kind.WARNING.reason(
        "No node has enough free CPU or memory for a pod, or none matches its constraints.",
        "Lower `resources.requests`, relax node selectors and tolerations, or add nodes.",
    )
    EVICTED = Kind.WARNING.reason(
        "The kubelet evicted a pod because its node ran out of a resource.",
        "Set `resources.requests` to what the pod uses, or free the node.",
    )
    NODE_LOST = Kind.WARNING.reason(
        "A pod that is being deleted cannot end, because its node is gone or has not been ready"
        " for more than a minute. The operator deletes the pod without the kubelet. With"
        " `rbac.nodes: false` it does not know the node and waits; others take the place in the"
        " queue.",
        "Nothing needs to be done with `rbac.nodes: true`; else repair the node, or delete its Node"
        " object.",
    )
    POD_NOT_STARTING = Kind.WARNING.reason(
        "A pod has been in phase Pending for longer than usual.",
        "Read the pod's events: `kubectl describe pod`.",
    )
    OOM_KILLED = Kind.WARNING.reason(
        "A container exceeded its memory limit and was killed. A target that was ready fails"
        " the benchmark, as the next attempt would meet the same limit.",
        "Raise `resources.limits.memory`, or lower the heap.",
        word="OOMKilled",
    )
    IMAGE_PULL_ERROR = Kind.WARNING.reason(
        "An image could not be pulled.", "Check repository, tag and pull secret of the image."
    )
    CONTAINER_CONFIG_ERROR = Kind.WARNING.reason(
        "The kubelet could not create a container from its spec.",
        "Correct what the message names, such as a missing Secret or ConfigMap.",
    )
    CRASH_LOOP_BACK_OFF = Kind.WARNING.reason(
        "A container exits repeatedly.", "Read the log of its last run: `kubectl logs --previous`."
    )
