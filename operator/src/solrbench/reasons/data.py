"""Reasons of the indexing stage."""

from solrbench.reasons.kinds import Kind, Reason


class IndexingReason(Reason):
    """The index Job, its source of documents, and the number of documents in Solr."""

    INDEXING_STARTED = Kind.WAITING.reason(
        "The index Job was created.", "Wait for its pods to start."
    )
    INDEXING = Kind.WAITING.reason(
        "The index Job sends documents.", "Wait; the message has the number of documents sent."
    )
    INDEXED = Kind.DONE.reason("All replicas hold the expected number of documents.")
    INDEX_REUSED = Kind.DONE.reason("The index of the point of the sweep before is used again.")
    EXISTING_COLLECTION = Kind.DONE.reason(
        "The benchmark measures a collection that exists, and indexes no dataset."
    )
    RESTORING = Kind.WAITING.reason(
        "Solr copies the index of the backup into every replica.",
        "Wait; `deadlines.indexingSeconds` limits the time.",
    )
    RESTORED = Kind.DONE.reason(
        "The backup is restored, and the replicas of each shard hold the same number of documents."
    )
    RESTORE_FAILED = Kind.PERMANENT.reason(
        "Solr could not restore the backup.",
        "Correct `dataset.backup`, or `collection.shards`, as Solr's message says.",
    )
    DATASET_NOT_FOUND = Kind.PERMANENT.reason(
        "A file of the dataset does not exist.",
        "Correct the path, key or URL that the message names.",
    )
    DATASET_UNREACHABLE = Kind.PERMANENT.reason(
        "A file of the dataset could not be read or downloaded, after all retries.",
        "Check the server or volume that the message names.",
    )
    DATASET_CHANGED = Kind.PERMANENT.reason(
        "A file has another SHA-256 than expected, or was changed while it was downloaded.",
        "Correct `dataset.http.sha256`, or the file on the server.",
    )
    DATASET_TOO_LARGE = Kind.PERMANENT.reason(
        "A file is larger than allowed, as downloaded or when decompressed, or the batches of"
        " `indexing.prepared` are more than a pod keeps.",
        "Raise `dataset.http.maxGibibytes` if the file is as intended, or leave out `prepared`.",
    )
    DATASET_TOO_SMALL = Kind.PERMANENT.reason(
        "The files have fewer documents than `dataset.firstDocuments`.",
        "Lower `dataset.firstDocuments`, or add files.",
    )
    DATASET_SECRET_NOT_ALLOWED = Kind.PERMANENT.reason(
        "The operator's settings do not allow Secrets for downloads.",
        "Set `datasets.secrets` of the operator's chart, and `datasets.allowedHosts`.",
    )
    DATASET_SECRET_NOT_FOUND = Kind.PERMANENT.reason(
        "A Secret or ConfigMap with credentials or certificates for downloads, or its key, is"
        " missing, or cannot be used.",
        "Create or correct what the message names, and the benchmark again.",
    )
    UNKNOWN_FORMAT = Kind.PERMANENT.reason(
        "The format of a file cannot be derived from its name.",
        "Set the format of the dataset, or rename the file.",
    )
    EMPTY_DATASET = Kind.PERMANENT.reason(
        "The dataset has no document.", "Check the files that the message names."
    )
    MALFORMED_DOCUMENT = Kind.PERMANENT.reason(
        "A file of the dataset cannot be parsed at the position in the message.",
        "Correct the file.",
    )
    DOCUMENT_REFUSED = Kind.PERMANENT.reason(
        "Solr rejected a document.", "Correct the document or the schema, as Solr's message says."
    )
    SOLR_UNAVAILABLE = Kind.PERMANENT.reason(
        "Solr did not accept documents after all retries.",
        "Read the logs of the Solr nodes; raise `dataset.indexing.batchRetries`, or lower the"
        " number of index pods and streams.",
    )
    INVALID_PLAN = Kind.PERMANENT.reason(
        "An index pod could not read the plan or the credentials mounted into it.",
        "Check that the operator and the image of the index pods have the same version.",
    )
    INTERRUPTED = Kind.PERMANENT.reason(
        "An index pod was terminated before all its documents were sent.",
        "Check the node it ran on, and create the benchmark again.",
    )
    INTERNAL_ERROR = Kind.PERMANENT.reason(
        "An index pod met an error that it does not handle.",
        "Report it with the log of the pod.",
        word="IndexInternalError",
    )
    INDEX_POD_FAILED = Kind.PERMANENT.reason(
        "An index pod ended with an error.", "Read the log of the pod that the message names."
    )
    INDEX_JOB_FAILED = Kind.PERMANENT.reason(
        "The index Job failed and left no failed pod.",
        "Read the events of the Job: `kubectl describe job`.",
    )
    DOCUMENTS_UNKNOWN = Kind.PERMANENT.reason(
        "No index pod reported how many documents it sent, and the index is empty.",
        "Set `spec.dataset.expectedDocuments`.",
    )
    DOCUMENT_COUNT_MISMATCH = Kind.PERMANENT.reason(
        "Solr holds another number of documents than expected.",
        "If the data repeats ids, set `spec.dataset.expectedDocuments`.",
    )
    REPLICAS_DISAGREE = Kind.WAITING.reason(
        "The replicas of a shard hold different numbers of documents, as until TLOG and PULL"
        " replicas have copied the last commit.",
        "Wait; if it lasts, read the logs of the Solr nodes.",
    )
