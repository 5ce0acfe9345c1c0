"""Input of the export pod, and what it says at its end."""

from pydantic import Field

from solrbench.api.rules import LenientModel, Model
from solrbench.api.v1alpha1.export import Export

EXPORT_PLAN_KEY = "export-plan.json"
EXPORT_PLAN_FILE = f"/etc/solrbench/{EXPORT_PLAN_KEY}"
RESOURCE_KEY = "benchmark.json.gz"
"""Key of the resource, status included, in the ConfigMap of the plan."""
RESULTS_FOLDER = "/var/run/solrbench/results"
"""Where the ConfigMaps with results are mounted: chunks of documents in `steps`."""
STEPS_FOLDER = "steps"
EVIDENCE_FOLDER = "evidence"
EXPORT_CREDENTIALS_FOLDER = "/var/run/solrbench/export-credentials"
EXPORT_CA_FOLDER = "/var/run/solrbench/export-ca"
VOLUME_FOLDER = "/var/run/solrbench/export"
"""Where the claim is mounted."""

ACCESS_KEY, SECRET_KEY, SESSION_TOKEN = "accessKeyId", "secretAccessKey", "sessionToken"
"""Keys of the Secret."""

EXIT_PERMANENT = 3
"""Exit code of a pod whose failure no retry can cure: wrong credentials, no such bucket."""


class StoredDocument(Model):
    """A step run as it is mounted."""

    chunks: list[str]
    """Names of the files in `steps`, in order."""
    sha256: str
    """Digest of the JSON."""


class ExportPlan(Model):
    """The work of the export Job."""

    benchmark: str
    """namespace/name."""
    export: Export
    """Where to."""
    folder: str
    """Name of the folder of this export, below that of the benchmark."""
    documents: list[StoredDocument]
    """All stored step runs."""
    allowed_hosts: list[str] = ["*"]
    """Patterns of the hosts that a bucket may have."""
    api_server: list[str] = []
    """Addresses of the API server, which no export may connect to."""


class ExportOutcome(LenientModel):
    """The termination message of the export pod."""

    files: int = 0
    """Files written and read back."""
    bytes: int = 0
    """Their size."""
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
    base = _base(export)
    return f"{base}/{benchmark}" if base else benchmark


def location(export: Export, benchmark: str, folder: str) -> str:
    """Return the place of an export, as the status shows it."""
    path = f"{parent_folder(export, benchmark)}/{folder}/"
    if export.s3 is not None:
        return f"s3://{export.s3.bucket}/{path}"
    volume = export.persistent_volume_claim
    return f"pvc://{volume.claim_name if volume else ''}/{path}"


def _base(export: Export) -> str:
    if export.s3 is not None:
        return export.s3.prefix
    return export.persistent_volume_claim.path if export.persistent_volume_claim else ""
