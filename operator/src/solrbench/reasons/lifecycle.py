"""Reasons that concern the benchmark as a whole."""

from solrbench.reasons.kinds import Kind, Reason


class LifecycleReason(Reason):
    """Acceptance, queue, end, clean-up, and access to the API server and to an existing Solr."""

    PENDING = (
        "Pending",
        Kind.WAITING,
        "The operator has not reached this stage.",
        "Wait for the stages before it.",
    )
    ACCEPTED = (
        "Accepted",
        Kind.DONE,
        "All objects that the spec refers to exist.",
        "Nothing needs to be done.",
    )
    QUEUED = (
        "Queued",
        Kind.WAITING,
        "Other benchmarks run or are first in the queue.",
        "Wait, suspend one of the benchmarks in the message, or raise the operator's concurrency.",
    )
    RUNNING = (
        "Running",
        Kind.WAITING,
        "The benchmark has left the queue.",
        "Wait for its first stage.",
    )
    SUSPENDED = (
        "Suspended",
        Kind.WAITING,
        "`spec.suspend` is true: all pods are removed, stored results are kept.",
        "Set `spec.suspend` to false to continue.",
    )
    SUCCEEDED = (
        "Succeeded",
        Kind.DONE,
        "All steps are measured and their results are stored.",
        "Read the verdict of each step before its numbers.",
    )
    DEADLINE_EXCEEDED = (
        "DeadlineExceeded",
        Kind.PERMANENT,
        "A phase took longer than its deadline; the message ends with the last reason seen.",
        "Remove the cause that the message names, or raise the deadline of that phase.",
    )
    INVALID_SPEC = (
        "InvalidSpec",
        Kind.PERMANENT,
        "The stored spec violates the schema of this version.",
        "Correct the fields that the message names and create the benchmark again.",
    )
    DEFINITION_NEWER = (
        "DefinitionNewer",
        Kind.WARNING,
        "The spec has fields that this version of the operator does not know.",
        "Upgrade the operator to the version of its CRD.",
    )
    UNREADABLE = (
        "Unreadable",
        Kind.WARNING,
        (
            "The spec or the status of a benchmark that has started violates the schema of this"
            " version of the operator. The benchmark keeps its status, pods and place until the"
            " deadline of its phase."
        ),
        "Install the version of the operator that the benchmark began with, or delete it.",
    )
    BASELINE_NOT_FOUND = (
        "BaselineNotFound",
        Kind.WARNING,
        "The benchmark of `spec.comparison.baseline` does not exist.",
        "Create it in the namespace of the benchmark, or compare with a stored report.",
    )
    BASELINE_UNFINISHED = (
        "BaselineUnfinished",
        Kind.WAITING,
        "The benchmark of `spec.comparison.baseline` has not ended.",
        "Wait until it has succeeded.",
    )
    BASELINE_FAILED = (
        "BaselineFailed",
        Kind.PERMANENT,
        "The benchmark of `spec.comparison.baseline` has failed.",
        "Run it again, or name another baseline.",
    )
    BASELINE_UNREADABLE = (
        "BaselineUnreadable",
        Kind.PERMANENT,
        "The report of `spec.comparison.baseline` is none, or of a version that cannot be read.",
        "Store what `solrbench report NAME -o json` prints, or name another baseline.",
    )
    COMPARED = (
        "Compared",
        Kind.DONE,
        "The results are compared with those of `spec.comparison.baseline`.",
        "Read the words in `status.comparison`.",
    )
    CONFIG_MAP_NOT_FOUND = (
        "ConfigMapNotFound",
        Kind.WARNING,
        "A ConfigMap that the spec refers to does not exist.",
        "Create the ConfigMap in the namespace of the benchmark.",
    )
    CONFIG_MAP_KEY_NOT_FOUND = (
        "ConfigMapKeyNotFound",
        Kind.WARNING,
        "A ConfigMap lacks a key that the spec refers to.",
        "Add the key, or refer to one of the keys in the message.",
    )
    VOLUME_CLAIM_NOT_FOUND = (
        "VolumeClaimNotFound",
        Kind.WARNING,
        "A PersistentVolumeClaim that the spec refers to does not exist.",
        "Create the claim in the namespace of the benchmark.",
    )
    SECRET_NOT_FOUND = (
        "SecretNotFound",
        Kind.WARNING,
        "A Secret that the spec refers to, or a key of it, does not exist or is not UTF-8 text.",
        "Create the Secret in the namespace of the benchmark with the keys in the message.",
    )
    SECRET_NOT_READABLE = (
        "SecretNotReadable",
        Kind.WARNING,
        "The operator has no permission to read Secrets.",
        "Set `rbac.secrets` of the operator's chart to true.",
    )
    HOST_NOT_FOUND = (
        "HostNotFound",
        Kind.WARNING,
        "A host name of the target or of a variant cannot be resolved.",
        "Correct the URL, or create the Service it names.",
    )
    HOST_NOT_ALLOWED = (
        "HostNotAllowed",
        Kind.PERMANENT,
        "The operator's settings do not allow requests to this host or address.",
        (
            "Add the host to `existingTargets.allowedHosts` of the operator's chart; loopback and"
            " link-local addresses and the API server are never allowed."
        ),
    )
    POD_OPTION_NOT_ALLOWED = (
        "PodOptionNotAllowed",
        Kind.PERMANENT,
        "The operator's settings do not allow benchmarks to set this option of pods.",
        (
            "Leave the field out, or add the option to `benchmarkPods.allowedOptions` of the"
            " operator's chart."
        ),
    )
    AUTHENTICATION_FAILED = (
        "AuthenticationFailed",
        Kind.PERMANENT,
        "The existing Solr responded with HTTP 401 or 403.",
        "Set `target.existing.basicAuth.secret.name` to a Secret whose user is allowed to do this.",
    )
    CERTIFICATE_NOT_TRUSTED = (
        "CertificateNotTrusted",
        Kind.PERMANENT,
        "The certificate of the existing Solr could not be verified.",
        (
            "Set `target.existing.tls.caSecret` to the CA that signed it, and use a URL whose host"
            " the certificate names."
        ),
    )
    REDIRECT_REFUSED = (
        "RedirectRefused",
        Kind.PERMANENT,
        "The existing Solr, or a proxy in front of it, responded with a redirect.",
        "Set `target.existing.urls` to the final URL.",
    )
    API_UNREACHABLE = (
        "ApiUnreachable",
        Kind.WARNING,
        "The Kubernetes API server did not respond or responded with a server error.",
        "Wait; if it lasts, check the API server and the operator's network policies.",
    )
    API_REFUSED = (
        "ApiRefused",
        Kind.WARNING,
        "The Kubernetes API server denied a request of the operator.",
        "Compare the operator's role with that of its chart; check quotas and admission policies.",
    )
    MANIFEST_REJECTED = (
        "ManifestRejected",
        Kind.PERMANENT,
        "The Kubernetes API server rejected an object of the benchmark as invalid.",
        "Correct the field that the message names.",
    )
    KIND_NOT_SERVED = (
        "KindNotServed",
        Kind.WARNING,
        "The cluster does not serve a kind of resource that the benchmark needs.",
        "Install the operator that brings this kind.",
    )
    NOT_FOUND = (
        "NotFound",
        Kind.WARNING,
        "An object was deleted while it was in use.",
        "Create the object again.",
    )
    CONFLICT = (
        "Conflict",
        Kind.WAITING,
        "An object changed between reading and writing it.",
        "Nothing needs to be done: the next reconcile reads the new version.",
    )
    INTERNAL_ERROR = (
        "InternalError",
        Kind.WARNING,
        (
            "The operator met an exception that it has no other reason for; the message names its"
            " type. It tries again, up to the stage's deadline and 60 times in a row."
        ),
        (
            "Correct what the message names in the spec, in Solr or on the nodes; otherwise report"
            " it as a bug with the traceback from the operator's log."
        ),
    )
    STATUS_REJECTED = (
        "StatusRejected",
        Kind.PERMANENT,
        "The status is too large for the API server, or violates the schema; results are left out.",
        "Read the results with `solrbench report`; reduce steps, variants or request names.",
    )
    NAME_TAKEN = (
        "NameTaken",
        Kind.WARNING,
        (
            "An object with the name of one that the benchmark needs exists and belongs to"
            " something else, such as a deleted benchmark of the same name."
        ),
        "Delete the object that the message names, or give the benchmark another name.",
    )
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


REFUSALS = frozenset(
    {
        LifecycleReason.AUTHENTICATION_FAILED,
        LifecycleReason.CERTIFICATE_NOT_TRUSTED,
        LifecycleReason.REDIRECT_REFUSED,
    }
)
"""Reasons for which an existing Solr, or a proxy in front of it, denies access."""
