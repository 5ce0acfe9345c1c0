"""Reasons at the end of a benchmark: export of results, deletion, refusals of the API server."""

from solrbench.reasons.kinds import Kind, Reason


class CleanupReason(Reason):
    """The end of a benchmark: what is deleted, and what is left."""

    REMOVING_PODS = Kind.WAITING.reason(
        "The pods of a deleted benchmark are terminating.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    CLEANING_UP = Kind.WAITING.reason(
        "The objects of a finished benchmark are being deleted.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    CLEANED_UP = Kind.DONE.reason("All objects of the benchmark except its results are deleted.")
    CLEANUP_SKIPPED = Kind.DONE.reason(
        "`spec.cleanup` keeps Solr and ZooKeeper; the load's pods are deleted.",
        "Delete the benchmark, or set `spec.cleanup` to Always, when they are no longer needed.",
    )
    FINALIZERS_LEFT = Kind.WARNING.reason(
        "An object of the benchmark is being deleted, but others have put a finalizer on it.",
        "Check that what set the finalizer that the message names is running, or remove it.",
    )
    COLLECTION_NOT_REMOVED = Kind.WARNING.reason(
        "The benchmark's collection could not be deleted from the existing Solr.",
        "Remove the cause that the message names, or delete the collection in Solr.",
    )
    COLLECTION_LEFT_BEHIND = Kind.WARNING.reason(
        "The benchmark is deleted, but its collection may still exist in the existing Solr.",
        "Delete the collection and its config set in Solr.",
    )
    SOLR_CLOUD_NOT_REMOVED = Kind.WARNING.reason(
        "The SolrCloud is being deleted but has finalizers that the Solr Operator has not removed.",
        "Check that the Solr Operator is running.",
    )
    ZOOKEEPER_CLUSTER_NOT_REMOVED = Kind.WARNING.reason(
        "The ZookeeperCluster is being deleted but has finalizers that the ZooKeeper operator"
        " has not removed.",
        "Check that the ZooKeeper operator is running.",
    )
    REPORT_DROPPED = Kind.WARNING.reason(
        "Stored results of the benchmark were deleted, the oldest of its namespace: together they"
        " took more room than the operator's settings allow.",
        "Export results (`results.export`), delete benchmarks that are no longer needed, or raise"
        " `reports.maxMebibytes` of the operator's chart.",
    )
    REPORTS_TOO_LARGE = Kind.WARNING.reason(
        "The stored results of the namespace take more room than the operator's settings allow, and"
        " none of them is deleted, as all are needed: by benchmarks or sweeps that are not over.",
        "Let sweeps have fewer points or steps, or raise `reports.maxMebibytes` of the operator's"
        " chart.",
    )


class ExportReason(Reason):
    """Results written to a volume or a bucket (`spec.results.export`); no benchmark fails by it."""

    EXPORTED = Kind.DONE.reason(
        "The results are written, and were read back.", "Find them at `status.export.location`."
    )
    EXPORTING = Kind.WAITING.reason(
        "The export Job writes the results.",
        "Wait; if it lasts, read the log of its pod: `solrbench logs NAME --component export`.",
    )
    EXPORT_TOO_LARGE = Kind.WARNING.reason(
        "The results are in more ConfigMaps than one pod can mount.",
        "Write them with `solrbench report NAME -o json`; measure fewer steps or repeats.",
    )
    EXPORT_JOB_FAILED = Kind.WARNING.reason(
        "The export Job failed without saying why, or took longer than its deadline.",
        "Read its pod's log and events; raise `results.export.deadlineSeconds` or its"
        " `resources`, which starts it again.",
    )
    EXPORT_PLAN_INVALID = Kind.WARNING.reason(
        "The export pod cannot read what the operator stored for it.",
        "Delete the Job of the export, so that it is made again; else report it as a bug.",
    )
    EXPORT_SECRET_NOT_FOUND = Kind.WARNING.reason(
        "A Secret or ConfigMap of the export, or a key of it, does not exist.",
        "Create it with the keys in the message, and change `results.export` to start again.",
    )
    BUCKET_NOT_FOUND = Kind.WARNING.reason(
        "The server has no bucket of this name.",
        "Correct `results.export.s3.bucket` or `endpoint`, or create the bucket and change `keep`.",
    )
    BUCKET_FORBIDDEN = Kind.WARNING.reason(
        "The server refused the credentials, or they have no right to write here.",
        "Correct the Secret, or allow its user to list, put, get and delete objects below"
        " `results.export.s3.prefix`; check `region`.",
    )
    EXPORT_UNREACHABLE = Kind.WARNING.reason(
        "No connection to the server of the bucket, or its certificate is not trusted.",
        "Correct `results.export.s3.endpoint` or `tls`, and check the network policies"
        " (`networkPolicy.benchmarks.extraEgress` of the chart).",
    )
    EXPORT_REFUSED = Kind.WARNING.reason(
        "The server responded with an error that is neither of access nor of the bucket.",
        "Correct what the message names, such as the region of the bucket.",
    )
    VOLUME_FULL = Kind.WARNING.reason(
        "The volume has no room for the export.",
        "Enlarge the claim, delete old exports from it, or set `results.export.keep`.",
    )
    VOLUME_FORBIDDEN = Kind.WARNING.reason(
        "The volume is read-only, or its folder belongs to another user.",
        "Let the group 65532 write to the folder, or set the pod's user and group by"
        " `podOptions` for the component Export.",
    )
    EXPORTED_BEFORE = Kind.WARNING.reason(
        "`results.export` was changed after large parts of the results had left the cluster for the"
        " export before.",
        "Copy the folder that the message names to where it is wanted.",
    )
    EXPORT_REMOVED = Kind.DONE.reason(
        "`results.export` was removed before the results were written.",
        "Nothing needs to be done; set `results.export` to export them after all.",
    )
    EXPORT_DAMAGED = Kind.WARNING.reason(
        "What was read back is not what was written.",
        "Check the volume or the server; change `results.export` to start again.",
    )


class ApiServerReason(Reason):
    """What the API server responds to the operator's requests."""

    API_UNREACHABLE = Kind.WARNING.reason(
        "The Kubernetes API server did not respond or responded with a server error.",
        "Wait; if it lasts, check the API server and the operator's network policies.",
    )
    API_REFUSED = Kind.WARNING.reason(
        "The Kubernetes API server denied a request of the operator.",
        "Compare the operator's role with that of its chart; check quotas and admission policies.",
    )
    MANIFEST_REJECTED = Kind.PERMANENT.reason(
        "The Kubernetes API server rejected an object of the benchmark as invalid.",
        "Correct the field that the message names.",
    )
    KIND_NOT_SERVED = Kind.WARNING.reason(
        "The cluster does not serve a kind of resource that the benchmark needs.",
        "Install the operator that brings this kind.",
    )
    NOT_FOUND = Kind.WARNING.reason(
        "An object was deleted while it was in use.", "Create the object again."
    )
    CONFLICT = Kind.WAITING.reason(
        "An object changed between reading and writing it.",
        "Nothing needs to be done: the next reconcile reads the new version.",
    )
    LEASE_NOT_HELD = Kind.WARNING.reason(
        "The operator could not renew its Lease, or another one has it, so it writes nothing.",
        "Wait; if it lasts, check the API server, the Lease and the operator's role for it.",
    )
    CLOCK_DIFFERS = Kind.WARNING.reason(
        "The clocks of the API server and of the operator's node differ by more than a minute, so"
        " the operator writes nothing: deadlines and times to live could be over too early.",
        "Correct the clock of the node, by NTP for example.",
    )
    STATUS_REJECTED = Kind.PERMANENT.reason(
        "The status is too large for the API server, or violates the schema; results are omitted.",
        "Read the results with `solrbench report`; reduce steps, variants or request names.",
    )
    NAME_TAKEN = Kind.WARNING.reason(
        "An object with the name of one that the benchmark needs exists and belongs to"
        " something else, such as a deleted benchmark of the same name.",
        "Delete the object that the message names, or give the benchmark another name.",
    )
