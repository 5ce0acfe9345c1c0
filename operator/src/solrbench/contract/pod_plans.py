"""Input of index and export pods, what they say at their end, and the options of any pod."""

import base64
import gzip
import signal
from functools import reduce
from typing import Any

from pydantic import Field

from solrbench.api.rules import LenientModel, Model
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.pod_options import PodComponent, PodOptions
from solrbench.api.v1alpha1.results import Export
from solrbench.api.v1alpha1.status import CleanedStatus, IndexedFile
from solrbench.api.v1alpha1.validity import LoadTelemetry
from solrbench.contract import names
from solrbench.contract.foreign import read, unpack
from solrbench.contract.load_plan import AuthFiles, PodAgent
from solrbench.contract.server_document import Telemetry

EXPORT_PLAN_KEY = "export-plan.json"
EXPORT_PLAN_FILE = f"/etc/solrbench/{EXPORT_PLAN_KEY}"
RESOURCE_KEY = "benchmark.json.gz"
"""Key of the resource, status included, in the ConfigMap of the plan."""
RESULTS_FOLDER = "/var/run/solrbench/results"
"""Where the ConfigMaps with results are mounted: chunks of documents in `steps`."""
STEPS_FOLDER = "steps"
DIAGNOSTICS_FOLDER = "evidence"
EXPORT_CREDENTIALS_FOLDER = "/var/run/solrbench/export-credentials"
EXPORT_CA_FOLDER = "/var/run/solrbench/export-ca"
VOLUME_FOLDER = "/var/run/solrbench/export"
"""Where the claim is mounted."""

ACCESS_KEY, SECRET_KEY, SESSION_TOKEN = "accessKeyId", "secretAccessKey", "sessionToken"
"""Keys of the Secret."""

EXIT_PERMANENT = 3
"""Exit code of a pod whose failure no retry can cure: a missing file, wrong credentials."""

EXIT_TERMINATED = 128 + signal.SIGTERM
"""Exit code of a process stopped by SIGTERM, as shells report it."""


class StoredDocument(Model):
    """A step run as it is mounted."""

    chunks: list[str]
    """Names of the files in `steps`, in order."""
    sha256: str


class ExportPlan(Model):
    """The work of the export Job."""

    benchmark: str
    """namespace/name."""
    export: Export
    folder: str
    """Name of the folder of this export, below that of the benchmark."""
    documents: list[StoredDocument]
    allowed_hosts: list[str] = ["*"]
    """Patterns of the hosts that a bucket may have."""
    api_server: list[str] = []
    """Addresses of the API server, which no export may connect to."""


class ExportOutcome(LenientModel):
    """The termination message of the export pod."""

    files: int = 0
    """Files written and read back."""
    bytes: int = 0
    sha256: str = Field(default="", max_length=64)
    """Digest of `SHA256SUMS`."""
    removed: int = 0
    """Older exports that were deleted."""
    reason: str | None = None
    """CamelCase reason of a failure, such as `BucketNotFound`."""
    message: str | None = None
    """Sentence that names the place and the remedy."""


def parent_folder(export: Export, benchmark: str) -> str:
    """Return where the exports of a benchmark's name are: `PATH/NAMESPACE/NAME`."""
    volume = export.persistent_volume_claim
    base = export.s3.prefix if export.s3 is not None else volume.path if volume else ""
    return f"{base}/{benchmark}" if base else benchmark


def location(export: Export, benchmark: str, folder: str) -> str:
    """Return the place of an export, as the status shows it."""
    path = f"{parent_folder(export, benchmark)}/{folder}/"
    if export.s3 is not None:
        return f"s3://{export.s3.bucket}/{path}"
    volume = export.persistent_volume_claim
    return f"pvc://{volume.claim_name if volume else ''}/{path}"


INDEX_PLAN_FILE = "/etc/solrbench/index-plan.json"
DATASET_FOLDER = "/var/run/solrbench/dataset"
"""Where the ConfigMap or volume with the documents is mounted."""

BACKUP_FOLDER = "/mnt/backup"
"""Where Solr's pods mount the claim with the backup to restore."""

INDEX_PORT = 8080
"""Port on which an index pod serves `/progress` and `/metrics`."""


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
    dataset: Dataset
    access: AuthFiles = AuthFiles()
    download_hosts: list[str] = ["*"]
    """Patterns of the hosts that files may be downloaded from."""
    api_server: list[str] = []
    """Addresses of the API server, which no download may connect to."""
    max_seconds: int | None = None
    """How long all downloads of a pod may take."""
    leader_urls: dict[str, str] | None = None
    """Solr's base URL of each node that may be addressed directly, to the one to use; documents for
    any other go through `solrUrls`, and Solr forwards them. Absent: every node may be addressed."""
    telemetry: LoadTelemetry = LoadTelemetry()
    """What the first pod reads of Solr meanwhile."""
    agents: list[PodAgent] = []
    agent_token: str = ""


MAX_TELEMETRY_BYTES = 1 << 16
"""Of telemetry as JSON; what is packed into a termination message has some thousand bytes."""


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
    waiting_seconds: float = 0.0
    """Time in which streams waited for Solr, of all streams together."""
    telemetry: str = ""
    """What the first pod read of Solr, by `pack_telemetry`; empty while it runs."""
    usage: dict[str, float] = {}
    """What the pod used from its first batch to its last, by the names of the figures of pods, with
    its `seconds`; empty while it runs. What cannot be read is absent."""
    cleaned: CleanedStatus | None = None
    """What was cleaned in its documents; absent while it runs, and without cleaning."""
    files: int | None = None
    """Number of the files that it read; absent while it runs, and without files."""
    slowest_files: list[IndexedFile] = Field(default=[], max_length=16)
    """Those that took longest, the slowest first."""
    reason: str | None = None
    """CamelCase reason of a failure, such as `DatasetNotFound` or `MalformedDocument`."""
    message: str | None = None
    """Sentence that names file, position and remedy."""


def pack_telemetry(telemetry: Telemetry, room: int) -> str:
    """Return base64 of gzipped JSON of at most `room` characters.

    Points of the series are left out as needed, then all; it is empty if that is not enough.
    """
    for step in (1, 2, 4, 8, 0):
        thin = [
            each.model_copy(update={"seconds": each.seconds[::step], "values": each.values[::step]})
            for each in (telemetry.series if step else ())
        ]
        text = telemetry.model_copy(update={"series": thin}).model_dump_json(exclude_defaults=True)
        packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
        if len(packed) <= room:
            return packed
    return ""


def unpack_telemetry(packed: str) -> Telemetry:
    """Return what `pack_telemetry` packed; of what is no such text, that it is missing."""
    try:
        text = unpack(base64.b64decode(packed, validate=True), MAX_TELEMETRY_BYTES)
        return read(Telemetry, text)
    except ValueError:
        return Telemetry(missing=["the first index pod left no readings of Solr"])


COMPONENTS = {
    names.SOLR: PodComponent.SOLR,
    names.ZOOKEEPER: PodComponent.ZOOKEEPER,
    names.INDEX: PodComponent.INDEX,
    names.LOAD_MASTER: PodComponent.LOAD_MASTER,
    names.LOAD_WORKER: PodComponent.LOAD_WORKER,
    names.COMPANION: PodComponent.COMPANION,
    names.EXPORT: PodComponent.EXPORT,
}
"""Components by their label."""


def pod_options(spec: Spec, component: str) -> PodOptions:
    """Return the options of a component's pods: those of `target.solrCloud`, then `podOptions`.

    Labels, annotations and variables of later entries add to those of earlier ones, by key; any
    other option replaces that of an earlier entry.
    """
    solr, placement = spec.target.solr_cloud, PodOptions()
    if solr is not None and component in {names.SOLR, names.ZOOKEEPER}:
        placement = PodOptions(
            node_selector=solr.node_selector,
            tolerations=solr.tolerations,
            topology_spread_constraints=[solr.topology_spread],
        )
    wanted = COMPONENTS[component]
    entries = (entry for entry in spec.pod_options if wanted in entry.components)
    return reduce(_add, entries, placement)


def _add(before: PodOptions, entry: PodOptions) -> PodOptions:
    given = {name: getattr(entry, name) for name in PodOptions.model_fields}
    # What is empty was set, and replaces; what is absent was not.
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name in {"labels", "annotations"} & changes.keys():
        changes[name] = (getattr(before, name) or {}) | changes[name]
    if entry.env is not None:
        variables = {each.name: each for each in [*(before.env or ()), *entry.env]}
        changes["env"] = list(variables.values())
    return before.model_copy(update=changes)
