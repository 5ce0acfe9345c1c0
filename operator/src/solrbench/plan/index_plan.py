"""Input of the index pods: a JSON file mounted into each."""

from solrbench.api.rules import LenientModel, Model
from solrbench.api.v1alpha1.collection import RouterName
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.plan.auth_files import AuthFiles

INDEX_PLAN_FILE = "/etc/solrbench/index-plan.json"
DATASET_FOLDER = "/var/run/solrbench/dataset"
"""Where the ConfigMap or volume with the documents is mounted."""

INDEX_PORT = 8080
"""Port on which an index pod serves `/progress` and `/metrics`."""

EXIT_PERMANENT = 3
"""Exit code of a pod whose failure no retry can cure: bad data, a missing file."""


class IndexPlan(Model):
    """The work of the index Job.

    Pod `i` of `pods` (from `JOB_COMPLETION_INDEX`) takes the documents whose position in the
    whole dataset, divided by `dataset.indexing.batchSize`, leaves remainder `i`. So a pod
    that is run again sends the same documents with the same ids.
    """

    benchmark: str
    """namespace/name, for the logs."""
    solr_urls: list[str]
    """Base URLs of the nodes, such as `http://pod.service.ns.svc:8983/solr`."""
    collection: str
    """Name of the collection."""
    router: RouterName
    """With `implicit`, documents go round the shards by the hash of their id."""
    shards: int
    dataset: Dataset
    access: AuthFiles = AuthFiles()
    """What Solr requires of its clients."""
    download_hosts: list[str] = ["*"]
    """Patterns of the hosts that files may be downloaded from."""
    api_server: list[str] = []
    """Addresses of the API server, which no download may connect to."""
    max_seconds: int | None = None
    """How long all downloads of a pod may take."""
    leader_urls: dict[str, str] | None = None
    """Solr's base URL of each node that may be addressed directly, to the one to use; documents for
    any other go through `solrUrls`, and Solr forwards them. Absent: every node may be addressed."""


class IndexProgress(LenientModel):
    """What one index pod has done so far; also its termination message when it ends."""

    pod: int
    """Completion index."""
    documents: int = 0
    """Documents that Solr has accepted."""
    bytes: int = 0
    """Bytes of the accepted update requests' bodies, before any compression."""
    started: float | None = None
    """Unix time of the first batch."""
    finished: float | None = None
    """Unix time of the last response; absent while running."""
    retried_batches: int = 0
    """Batches that were sent more than once."""
    usage: dict[str, float] = {}
    """What the pod used from its begin to its end, by the names of the figures of pods, with its
    `seconds`; empty while it runs. What cannot be read is absent."""
    reason: str | None = None
    """CamelCase reason of a failure, such as `DatasetNotFound` or `MalformedDocument`."""
    message: str | None = None
    """Sentence that names file, position and remedy."""
