"""Reasons of the load stage."""

from solrbench.reasons.kinds import Kind, Reason


class LoadReason(Reason):
    """The load's Jobs, the workload and the stored results."""

    LOAD_STARTED = Kind.WAITING.reason(
        "The load's Jobs were created.", "Wait for their pods to start."
    )
    STARTING = Kind.WAITING.reason(
        "The load master has not reported a stage.",
        "Wait; if it lasts, read the log of the load master.",
    )
    WAITING_FOR_WORKERS = Kind.WAITING.reason(
        "Not all load workers have connected to the load master.",
        "Wait; if it lasts, read the logs of the workers.",
    )
    EMPTYING_CACHES = Kind.WAITING.reason(
        "Solr's caches are emptied before a step, as `load.between` says.",
        "Wait until every core reports empty caches.",
    )
    SENDING_QUERIES = Kind.WAITING.reason(
        "Each query is sent before the load, so that answers can be compared"
        " (`comparison.answers`).",
        "Wait for its end, some minutes at most.",
    )
    WARMING_UP = Kind.WAITING.reason(
        "The warm-up runs; its requests are not part of the results.", "Wait for its end."
    )
    RAMPING = Kind.WAITING.reason(
        "The users of a step are being started.", "Wait until all of them run."
    )
    MEASURING = Kind.WAITING.reason("A step is being measured.", "Wait for its end.")
    STORING = Kind.WAITING.reason(
        "The result of a step waits for the operator to store it.", "Wait some seconds."
    )
    FINISHED = Kind.WAITING.reason(
        "The load master has run all steps.", "Wait until the results are stored."
    )
    STOPPING_LOAD = Kind.WAITING.reason(
        "All results are stored; the load's pods are terminating.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    REMOVING_OLD_LOAD = Kind.WAITING.reason(
        "The load's pods of the previous attempt are terminating.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    MEASURED = Kind.DONE.reason("All steps are measured and stored.")
    OBJECTIVES_MET = Kind.DONE.reason("All objectives are met, with their whole 95 % intervals.")
    OBJECTIVES_MISSED = Kind.WARNING.reason(
        "At least one objective is missed, with its whole 95 % interval.",
        "Read `status.objectives`; the message begins with those that are missed.",
    )
    OBJECTIVES_INCONCLUSIVE = Kind.WARNING.reason(
        "The limit of an objective is within the 95 % interval of its number, or there is none.",
        "Measure longer or more often (`load.repeats`), so that the interval is narrower.",
    )
    LOAD_POD_LOST = Kind.WARNING.reason(
        "A pod of the load ended or was deleted.",
        "Check the node it ran on; steps not yet stored run again, as `spec.backoffLimit` allows.",
    )
    LOAD_FAILED = Kind.WARNING.reason(
        "The load ended with an error.", "Read the message and the log of the load master."
    )
    LOAD_MASTER_FAILED = Kind.WARNING.reason(
        "The load master met an error that it does not handle.",
        "Report it with the log of the load master.",
    )
    LOAD_MASTER_UNREACHABLE = Kind.WARNING.reason(
        "The load master did not respond to the operator.",
        "Check network policies between the operator and the load master.",
    )
    LOAD_CORE_FAILED = Kind.WARNING.reason(
        "The load engine of a worker met an error that it does not handle.",
        "Report it with the log of the worker.",
    )
    WORKER_LOST = Kind.WARNING.reason(
        "A load worker disconnected or sent no result in time.",
        "Check the node it ran on and its memory limit, or set `load.onWorkerLoss` to"
        " Redistribute.",
    )
    MASTER_LOST = Kind.WARNING.reason(
        "A load worker could not reach the load master.",
        "Check the load master's pod and network policies.",
    )
    CACHES_NOT_RELOADED = Kind.WARNING.reason(
        "Solr did not reload the collection to empty its caches, or did not respond.",
        "Read the log of the Solr nodes that the message names.",
    )
    DOCUMENTS_NOT_DELETED = Kind.WARNING.reason(
        "Solr did not delete the documents of an earlier step that indexes.",
        "Read the log of the Solr nodes; the load is started again, as `spec.backoffLimit` allows.",
    )
    CACHES_NOT_EMPTY = Kind.PERMANENT.reason(
        "Solr's caches have entries after they were emptied, or Solr does not report them.",
        "Remove warming queries from the config set, or set `load.between.caches` to Keep.",
    )
    LOCUSTFILE_CHANGED = Kind.WARNING.reason(
        "The workers loaded different user classes.",
        "Do not change the ConfigMap of the locustfile while the benchmark runs.",
    )
    NO_QUERIES = Kind.PERMANENT.reason(
        "A query file has no query or cannot be read.",
        "Write one query per line into the file that the message names.",
    )
    MALFORMED_QUERIES = Kind.PERMANENT.reason(
        "A query file cannot be parsed, or names too many requests.",
        "Correct the line that the message names.",
    )
    NO_DOCUMENTS = Kind.PERMANENT.reason(
        "A file of documents for updates has no document or cannot be read.",
        "Write one JSON document per line into the file that the message names.",
    )
    MALFORMED_DOCUMENTS = Kind.PERMANENT.reason(
        "A file of documents for updates cannot be parsed.",
        "Correct the line that the message names.",
    )
    MALFORMED_LOCUSTFILE = Kind.PERMANENT.reason(
        "The locustfile cannot be imported, or lacks the user classes of the spec.",
        "Correct the locustfile; the message has the error and its line.",
    )
    LOCUSTFILE_FAILED = Kind.PERMANENT.reason(
        "The locustfile raised an error outside of a request, or all its users stopped early.",
        "Correct the locustfile; the message has the error and its line.",
    )
    BAD_PLAN = Kind.PERMANENT.reason(
        "The workload of the spec cannot be run.", "Correct the field that the message names."
    )
    STOPPED_BY_USER = Kind.PERMANENT.reason(
        "The run was stopped from the Locust web UI.", "Create the benchmark again."
    )
    RESULT_NOT_STORED = Kind.WARNING.reason(
        "A result that was read back differs from the one written.",
        "Exclude the ConfigMaps of the benchmark from tools that change objects.",
    )
    VERSION_MISMATCH = Kind.WARNING.reason(
        "The load master or a stored result cannot be read by this version of the operator.",
        "Install the version of the operator that the benchmark began with, or create it again.",
    )
    RESULT_TOO_LARGE = Kind.PERMANENT.reason(
        "The result of a step has more bytes than the operator stores.",
        "Make the step shorter, or send fewer request names.",
    )
    REPORT_DAMAGED = Kind.WARNING.reason(
        "A ConfigMap with a result cannot be decoded.",
        "Delete the ConfigMap that the message names: its step is measured again.",
    )
