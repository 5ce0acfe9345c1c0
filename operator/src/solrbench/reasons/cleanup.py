"""Reasons while the objects of a benchmark are deleted."""

from solrbench.reasons.kinds import Kind, Reason


class CleanupReason(Reason):
    """The end of a benchmark: what is deleted, and what is left."""

    REMOVING_PODS = (
        "RemovingPods",
        Kind.WAITING,
        "The pods of a deleted benchmark are terminating.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    CLEANING_UP = (
        "CleaningUp",
        Kind.WAITING,
        "The objects of a finished benchmark are being deleted.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    CLEANED_UP = (
        "CleanedUp",
        Kind.DONE,
        "All objects of the benchmark except its results are deleted.",
        "Nothing needs to be done.",
    )
    CLEANUP_SKIPPED = (
        "CleanupSkipped",
        Kind.DONE,
        "`spec.cleanup` keeps Solr and ZooKeeper; the load's pods are deleted.",
        "Delete the benchmark, or set `spec.cleanup` to Always, when they are no longer needed.",
    )
    FINALIZERS_LEFT = (
        "FinalizersLeft",
        Kind.WARNING,
        "An object of the benchmark is being deleted, but others have put a finalizer on it.",
        "Check that what set the finalizer that the message names is running, or remove it.",
    )
    COLLECTION_NOT_REMOVED = (
        "CollectionNotRemoved",
        Kind.WARNING,
        "The benchmark's collection could not be deleted from the existing Solr.",
        "Remove the cause that the message names, or delete the collection in Solr.",
    )
    COLLECTION_LEFT_BEHIND = (
        "CollectionLeftBehind",
        Kind.WARNING,
        "The benchmark is deleted, but its collection may still exist in the existing Solr.",
        "Delete the collection and its config set in Solr.",
    )
    SOLR_CLOUD_NOT_REMOVED = (
        "SolrCloudNotRemoved",
        Kind.WARNING,
        "The SolrCloud is being deleted but has finalizers that the Solr Operator has not removed.",
        "Check that the Solr Operator is running.",
    )
    ZOOKEEPER_CLUSTER_NOT_REMOVED = (
        "ZookeeperClusterNotRemoved",
        Kind.WARNING,
        (
            "The ZookeeperCluster is being deleted but has finalizers that the ZooKeeper operator"
            " has not removed."
        ),
        "Check that the ZooKeeper operator is running.",
    )
