"""`status.export`: where the results were written."""

from datetime import datetime
from typing import Annotated

from pydantic import StringConstraints

from solrbench.api.v1alpha1.fields import Count, Text
from solrbench.api.v1alpha1.status.conditions import StatusModel


class ExportStatus(StatusModel):
    """The export of `spec.results.export`; the condition `Exported` says how it went."""

    location: Text
    """`location` is the folder: `s3://BUCKET/KEY/` or `pvc://CLAIM/PATH/`."""
    spec_hash: Text
    """`specHash` is the digest of `spec.results.export` that it was made by; another one is
    exported again."""
    time: datetime | None = None
    """`time` is when everything was written and read back; absent until then."""
    files: Count | None = None
    """`files` is the number of files."""
    bytes: Count | None = None
    """`bytes` is the size of all files together."""
    sha256: Annotated[str, StringConstraints(max_length=64)] | None = None
    """`sha256` is the digest of the file SHA256SUMS, which has that of every other file."""
    removed: Count | None = None
    """`removed` is the number of older exports that were deleted (`keep`)."""
