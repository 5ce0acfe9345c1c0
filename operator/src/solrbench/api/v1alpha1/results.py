"""`spec.results`: where the results are kept beside the ConfigMaps of the benchmark."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, exactly_one
from solrbench.api.v1alpha1.dataset import DownloadTls
from solrbench.api.v1alpha1.fields import HOST_AND_PORT, Int, ObjectName, ObjectReference
from solrbench.api.v1alpha1.pods import ResourceAmounts, Resources

ExportPath = Annotated[
    str,
    StringConstraints(max_length=200),
    Matches(
        r"([A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*)?",
        "must be folders of letters, digits, '_', '.' and '-' with '/' between, such as"
        " benchmarks/nightly, and must not begin with '/' or '.'",
    ),
]
"""Folder inside a volume or a bucket; no part of it can lead out of it."""

Endpoint = Annotated[
    str,
    StringConstraints(min_length=8, max_length=512),
    Matches(
        rf"https?://{HOST_AND_PORT}/?",
        "must be http:// or https:// with a host and no path or user, such as"
        " https://s3.eu-central-1.amazonaws.com",
    ),
]

Bucket = Annotated[
    str,
    StringConstraints(min_length=3, max_length=63),
    Matches(
        r"[a-z0-9][a-z0-9.-]*[a-z0-9]",
        "must be the name of a bucket: lower-case letters, digits, '.' and '-', such as"
        " search-benchmarks",
    ),
]

Region = Annotated[
    str,
    StringConstraints(min_length=1, max_length=64),
    Matches(r"[a-z0-9-]+", "must be a region, such as eu-central-1"),
]

# The page of a report of eight steps takes about 300 MB while it is made.
EXPORT_RESOURCES = Resources(
    requests=ResourceAmounts(cpu="100m", memory="256Mi"), limits=ResourceAmounts(memory="2Gi")
)


class ExportVolume(Model):
    """A folder on a PersistentVolumeClaim."""

    claim_name: ObjectName
    """`claimName` is the name of a PersistentVolumeClaim that exists."""
    path: ExportPath = "solrbench"
    """`path` is the folder on it; it is created."""


class ExportBucket(Model):
    """A bucket of an S3-compatible server; the host stands before the bucket's name in URLs."""

    endpoint: Endpoint
    """`endpoint` is the URL of the server. The operator's settings must allow its host."""
    bucket: Bucket
    """`bucket` is the name of a bucket that exists."""
    prefix: ExportPath = "solrbench"
    """`prefix` is what the keys of all objects begin with."""
    region: Region = "us-east-1"
    """`region` is the region of the bucket; servers other than AWS often have `us-east-1`."""
    credentials_secret: ObjectReference
    """`credentialsSecret` names a Secret with the keys `accessKeyId`, `secretAccessKey` and, if
    there is one, `sessionToken`."""
    tls: DownloadTls | None = None
    """`tls` are CA certificates to trust beside those of the image."""


class Export(Model):
    """Report, CSV files and histograms, written after the end, be it success or failure."""

    persistent_volume_claim: ExportVolume | None = None
    """`persistentVolumeClaim` writes to a volume."""
    s3: ExportBucket | None = None
    """`s3` writes to a bucket."""
    keep: Annotated[Int, Field(ge=1, le=1000)] | None = None
    """`keep` is the number of exports of benchmarks of this namespace and name to keep, this one
    included; older ones are deleted. All are kept when absent."""
    deadline_seconds: Annotated[Int, Field(ge=10, le=3600)] = 900
    """`deadlineSeconds` is the longest time of the export, its pod's start included."""
    resources: Resources = EXPORT_RESOURCES
    """`resources` are the CPU and memory of the pod."""

    rules: ClassVar = (exactly_one("persistentVolumeClaim", "s3"),)


class Results(Model):
    """What becomes of the results."""

    export: Export | None = None
    """`export` writes them to a volume or a bucket, where they outlive the benchmark."""
