"""Reasons of the load stage."""

from solrbench.reasons.kinds import Kind, Reason


class LoadReason(Reason):
    """The load's Jobs, the workload and the stored results."""

    LOAD_STARTED = (
        "LoadStarted",
        Kind.WAITING,
        "The load's Jobs were created.",
        "Wait for their pods to start.",
    )
    STARTING = (
        "Starting",
        Kind.WAITING,
        "The load master has not reported a stage.",
        "Wait; if it lasts, read the log of the load master.",
    )
    WAITING_FOR_WORKERS = (
        "WaitingForWorkers",
        Kind.WAITING,
        "Not all load workers have connected to the load master.",
        "Wait; if it lasts, read the logs of the workers.",
    )
    EMPTYING_CACHES = (
        "EmptyingCaches",
        Kind.WAITING,
        "Solr's caches are emptied before a step, as `load.between` says.",
        "Wait until every core reports empty caches.",
    )
    WARMING_UP = (
        "WarmingUp",
        Kind.WAITING,
        "The warm-up runs; its requests are not part of the results.",
        "Wait for its end.",
    )
    RAMPING = (
        "Ramping",
        Kind.WAITING,
        "The users of a step are being started.",
        "Wait until all of them run.",
    )
    MEASURING = (
        "Measuring",
        Kind.WAITING,
        "A step is being measured.",
        "Wait for its end.",
    )
    STORING = (
        "Storing",
        Kind.WAITING,
        "The result of a step waits for the operator to store it.",
        "Wait some seconds.",
    )
    FINISHED = (
        "Finished",
        Kind.WAITING,
        "The load master has run all steps.",
        "Wait until the results are stored.",
    )
    STOPPING_LOAD = (
        "StoppingLoad",
        Kind.WAITING,
        "All results are stored; the load's pods are terminating.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    REMOVING_OLD_LOAD = (
        "RemovingOldLoad",
        Kind.WAITING,
        "The load's pods of the previous attempt are terminating.",
        "Wait; if it lasts, check the nodes the pods run on.",
    )
    MEASURED = (
        "Measured",
        Kind.DONE,
        "All steps are measured and stored.",
        "Nothing needs to be done.",
    )
    LOAD_POD_LOST = (
        "LoadPodLost",
        Kind.WARNING,
        "A pod of the load ended or was deleted.",
        "Check the node it ran on; steps not yet stored run again, as `spec.backoffLimit` allows.",
    )
    LOAD_FAILED = (
        "LoadFailed",
        Kind.WARNING,
        "The load ended with an error.",
        "Read the message and the log of the load master.",
    )
    LOAD_MASTER_FAILED = (
        "LoadMasterFailed",
        Kind.WARNING,
        "The load master met an error that it does not handle.",
        "Report it with the log of the load master.",
    )
    LOAD_MASTER_UNREACHABLE = (
        "LoadMasterUnreachable",
        Kind.WARNING,
        "The load master did not respond to the operator.",
        "Check network policies between the operator and the load master.",
    )
    LOAD_CORE_FAILED = (
        "LoadCoreFailed",
        Kind.WARNING,
        "The load engine of a worker met an error that it does not handle.",
        "Report it with the log of the worker.",
    )
    WORKER_LOST = (
        "WorkerLost",
        Kind.WARNING,
        "A load worker disconnected or sent no result in time.",
        (
            "Check the node it ran on and its memory limit, or set `load.onWorkerLoss` to"
            " Redistribute."
        ),
    )
    MASTER_LOST = (
        "MasterLost",
        Kind.WARNING,
        "A load worker could not reach the load master.",
        "Check the load master's pod and network policies.",
    )
    CACHES_NOT_RELOADED = (
        "CachesNotReloaded",
        Kind.WARNING,
        "Solr did not reload the collection to empty its caches, or did not respond.",
        "Read the log of the Solr nodes that the message names.",
    )
    CACHES_NOT_EMPTY = (
        "CachesNotEmpty",
        Kind.PERMANENT,
        "Solr's caches have entries after they were emptied, or Solr does not report them.",
        "Remove warming queries from the config set, or set `load.between.caches` to Keep.",
    )
    LOCUSTFILE_CHANGED = (
        "LocustfileChanged",
        Kind.WARNING,
        "The workers loaded different user classes.",
        "Do not change the ConfigMap of the locustfile while the benchmark runs.",
    )
    NO_QUERIES = (
        "NoQueries",
        Kind.PERMANENT,
        "A query file has no query or cannot be read.",
        "Write one query per line into the file that the message names.",
    )
    MALFORMED_QUERIES = (
        "MalformedQueries",
        Kind.PERMANENT,
        "A query file cannot be parsed, or names too many requests.",
        "Correct the line that the message names.",
    )
    NO_DOCUMENTS = (
        "NoDocuments",
        Kind.PERMANENT,
        "A file of documents for updates has no document or cannot be read.",
        "Write one JSON document per line into the file that the message names.",
    )
    MALFORMED_DOCUMENTS = (
        "MalformedDocuments",
        Kind.PERMANENT,
        "A file of documents for updates cannot be parsed.",
        "Correct the line that the message names.",
    )
    MALFORMED_LOCUSTFILE = (
        "MalformedLocustfile",
        Kind.PERMANENT,
        "The locustfile cannot be imported, or lacks the user classes of the spec.",
        "Correct the locustfile; the message has the error and its line.",
    )
    LOCUSTFILE_FAILED = (
        "LocustfileFailed",
        Kind.PERMANENT,
        "The locustfile raised an error outside of a request, or all its users stopped early.",
        "Correct the locustfile; the message has the error and its line.",
    )
    BAD_PLAN = (
        "BadPlan",
        Kind.PERMANENT,
        "The workload of the spec cannot be run.",
        "Correct the field that the message names.",
    )
    STOPPED_BY_USER = (
        "StoppedByUser",
        Kind.PERMANENT,
        "The run was stopped from the Locust web UI.",
        "Create the benchmark again.",
    )
    RESULT_NOT_STORED = (
        "ResultNotStored",
        Kind.WARNING,
        "A result that was read back differs from the one written.",
        "Exclude the ConfigMaps of the benchmark from tools that change objects.",
    )
    VERSION_MISMATCH = (
        "VersionMismatch",
        Kind.WARNING,
        "The load master or a stored result cannot be read by this version of the operator.",
        "Install the version of the operator that the benchmark began with, or create it again.",
    )
    RESULT_TOO_LARGE = (
        "ResultTooLarge",
        Kind.PERMANENT,
        "The result of a step has more bytes than the operator stores.",
        "Make the step shorter, or send fewer request names.",
    )
    REPORT_DAMAGED = (
        "ReportDamaged",
        Kind.WARNING,
        "A ConfigMap with a result cannot be decoded.",
        "Delete the ConfigMap that the message names: its step is measured again.",
    )
