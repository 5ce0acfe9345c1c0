"""Reasons that concern a benchmark or a sweep as a whole."""

from solrbench.reasons.kinds import Kind, Reason


class LifecycleReason(Reason):
    """Acceptance, queue, end, clean-up, and access to the API server and to an existing Solr."""

    PENDING = Kind.WAITING.reason(
        "The operator has not reached this stage.", "Wait for the stages before it."
    )
    ACCEPTED = Kind.DONE.reason("All objects that the spec refers to exist.")
    VERSION_NOT_TESTED = Kind.DONE.reason(
        "All objects exist, and Solr is of a release on which solrbench has not been tested.",
        "Read what differs in `docs/solr-versions.md`, and in the report what is missing, before"
        " its numbers.",
    )
    QUEUED = Kind.WAITING.reason(
        "The benchmark waits for others to finish.",
        "Wait, suspend one of the benchmarks in the message, or raise the operator's concurrency.",
    )
    RUNNING = Kind.WAITING.reason("The benchmark has left the queue.", "Wait for its first stage.")
    SUSPENDED = Kind.WAITING.reason(
        "`spec.suspend` is true: all pods are removed, stored results are kept.",
        "Set `spec.suspend` to false to continue.",
    )
    SUCCEEDED = Kind.DONE.reason(
        "All steps are measured and their results are stored.",
        "Check the verdict of each step first, then its numbers.",
    )
    DEADLINE_EXCEEDED = Kind.PERMANENT.reason(
        "A phase took longer than its deadline; the message ends with the last reason seen.",
        "Remove the cause that the message names, or raise the deadline of that phase.",
    )
    INVALID_SPEC = Kind.PERMANENT.reason(
        "The stored spec violates the schema of this version.",
        "Correct the fields that the message names and create the benchmark again.",
    )
    DEFINITION_NEWER = Kind.WARNING.reason(
        "The spec has fields that this version of the operator does not know.",
        "Upgrade the operator to the version of its CRD.",
    )
    UNREADABLE = Kind.WARNING.reason(
        "The spec or the status of a benchmark that has started violates the schema of this"
        " version of the operator. The benchmark keeps its status, pods and place until the"
        " deadline of its phase; one that is over waits with its export.",
        "Install the version of the operator that the benchmark began with, or delete it.",
    )
    OBJECTIVE_STEP_NOT_FOUND = Kind.PERMANENT.reason(
        "An objective is for a step that `load.steps` does not have.",
        "Name one of the steps in the message, or leave `steps` of the objective out.",
    )
    BASELINE_NOT_FOUND = Kind.WARNING.reason(
        "The benchmark of `spec.comparison.baseline` does not exist.",
        "Create it in the namespace of the benchmark, or compare with a stored report.",
    )
    BASELINE_UNFINISHED = Kind.WAITING.reason(
        "The benchmark of `spec.comparison.baseline` has not ended.", "Wait until it has succeeded."
    )
    BASELINE_FAILED = Kind.PERMANENT.reason(
        "The benchmark of `spec.comparison.baseline` has failed.",
        "Run it again, or name another baseline.",
    )
    BASELINE_UNREADABLE = Kind.PERMANENT.reason(
        "The report of `spec.comparison.baseline` is none, or of a version that cannot be read.",
        "Store what `solrbench report NAME -o json` prints, or name another baseline.",
    )
    COMPARED = Kind.DONE.reason(
        "The results are compared with those of `spec.comparison.baseline`.",
        "Read the conclusions in `status.comparison`.",
    )
    SAME_ANSWERS = Kind.DONE.reason("Both sides answer all compared queries the same.")
    ANSWERS_DIFFER = Kind.WARNING.reason(
        "Some queries are answered differently: by variants, or compared with the baseline.",
        "Read the queries and both answers in the report (`solrbench report NAME -o markdown`).",
    )
    ANSWERS_NOT_COMPARED = Kind.WARNING.reason(
        "The answers to queries could not be compared.",
        "Do what the message names; often the other side has no stored answers, and must be"
        " measured again with `spec.comparison.answers`.",
    )
    CONFIG_MAP_NOT_FOUND = Kind.WARNING.reason(
        "A ConfigMap that the spec refers to does not exist.",
        "Create the ConfigMap in the namespace of the benchmark.",
    )
    CONFIG_MAP_KEY_NOT_FOUND = Kind.WARNING.reason(
        "A ConfigMap lacks a key that the spec refers to.",
        "Add the key, or refer to one of the keys in the message.",
    )
    VOLUME_CLAIM_NOT_FOUND = Kind.WARNING.reason(
        "A PersistentVolumeClaim that the spec refers to does not exist.",
        "Create the claim in the namespace of the benchmark.",
    )
    SECRET_NOT_FOUND = Kind.WARNING.reason(
        "A Secret that the spec refers to, or a key of it, does not exist or is not UTF-8 text.",
        "Create the Secret in the namespace of the benchmark with the keys in the message.",
    )
    SECRET_NOT_READABLE = Kind.WARNING.reason(
        "The operator has no permission to read Secrets.",
        "Set `rbac.secrets` of the operator's chart to true.",
    )
    HOST_NOT_FOUND = Kind.WARNING.reason(
        "A host name of the target or of a variant cannot be resolved.",
        "Correct the URL, or create the Service it names.",
    )
    HOST_NOT_ALLOWED = Kind.PERMANENT.reason(
        "The operator's settings do not allow requests to this host or address.",
        "Add the host to `existingTargets.allowedHosts` of the operator's chart; loopback and"
        " link-local addresses and the API server are never allowed.",
    )
    POD_OPTION_NOT_ALLOWED = Kind.PERMANENT.reason(
        "The operator's settings do not allow benchmarks to set this option of pods.",
        "Leave the field out, or add the option to `benchmarkPods.allowedOptions` of the"
        " operator's chart.",
    )
    AUTHENTICATION_FAILED = Kind.PERMANENT.reason(
        "The existing Solr responded with HTTP 401 or 403.",
        "Set `target.existing.basicAuth.secret.name` to a Secret whose user is allowed to do this.",
    )
    CERTIFICATE_NOT_TRUSTED = Kind.PERMANENT.reason(
        "The certificate of the existing Solr could not be verified.",
        "Set `target.existing.tls.caSecret` to the CA that signed it, and use a URL whose host"
        " the certificate names.",
    )
    REDIRECT_REFUSED = Kind.PERMANENT.reason(
        "The existing Solr, or a proxy in front of it, responded with a redirect.",
        "Set `target.existing.urls` to the final URL.",
    )
    INTERNAL_ERROR = Kind.WARNING.reason(
        "The operator met an exception that it has no other reason for; the message names its"
        " type. It tries again, up to the stage's deadline and 60 times in a row.",
        "Correct what the message names in the spec, in Solr or on the nodes; otherwise report"
        " it as a bug with the traceback from the operator's log.",
    )


REFUSALS = frozenset(
    {
        LifecycleReason.AUTHENTICATION_FAILED,
        LifecycleReason.CERTIFICATE_NOT_TRUSTED,
        LifecycleReason.REDIRECT_REFUSED,
    }
)
"""Reasons for which an existing Solr, or a proxy in front of it, denies access."""


class SweepReason(Reason):
    """Acceptance and course of a sweep over several benchmarks."""

    POINTS_ACCEPTED = Kind.DONE.reason("The benchmark of every point is valid.")
    INVALID_POINTS = Kind.WARNING.reason(
        "The sweep is blocked, because a point is invalid.",
        "Correct the field in the message; the sweep then continues.",
    )
    POINTS_DO_NOT_FIT = Kind.WARNING.reason(
        "Nothing begins, as a point needs pods that no node could take even if nothing else"
        " ran: the message names point and pods.",
        "Take smaller values, or add nodes: the sweep goes on by itself. Where nodes are added"
        " on demand, set `spec.checkRoom` to false.",
    )
    SWEEP_CHANGED = Kind.WARNING.reason(
        "The template, the baseline or the fields of the axes changed after a point had begun,"
        " so further points could not be compared with it.",
        "Change them back, or create another sweep.",
    )
    POINTS_REMOVED = Kind.WARNING.reason(
        "Points that have begun are in the sweep no more; no further point begins.",
        "Put their values back, or create another sweep.",
    )
    RUNNING_POINTS = Kind.WAITING.reason(
        "Points wait in the queue of all benchmarks, or run.", "Wait."
    )
    DEARER_THAN_CHEAPEST = Kind.DONE.reason(
        "A point is not measured, as another one holds the load and costs no more."
    )
    POINTS_FAILED = Kind.PERMANENT.reason(
        "All points are over, and some benchmarks failed; the results of the others count.",
        "Read the conditions of the benchmarks that the message names.",
    )
    STOPPED_AFTER_FAILURE = Kind.PERMANENT.reason(
        "A point failed, and with `spec.failFast` no further one begins.",
        "Read the conditions of the benchmark, or set `spec.failFast` to false to go on.",
    )
    POINT_NOT_CREATED = Kind.WARNING.reason(
        "The benchmark of a point could not be created or changed; it is tried again, and a point"
        " that has no benchmark after 10 minutes fails.",
        "Remove the cause that the message names.",
    )
