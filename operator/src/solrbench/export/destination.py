"""A volume or a bucket behind one interface: every file is written and read back.

Older exports are removed after the new one is complete. Errors say whether another try can help.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, S3Store

from solrbench.api.v1alpha1.results import ExportBucket
from solrbench.contract.load_plan import CA_KEY
from solrbench.contract.pod_plans import ACCESS_KEY, SECRET_KEY, SESSION_TOKEN, ExportOutcome
from solrbench.errors import JobPodError
from solrbench.reasons.end import ExportReason

if TYPE_CHECKING:
    # obstore has these types in its stubs alone.
    from obstore.store import ClientConfig, S3Config


class ExportError(JobPodError):
    """The export cannot go on."""


TIMEOUT = timedelta(seconds=60)
RETRY_TIMEOUT = timedelta(seconds=60)
MAX_RETRIES = 5
_MAX_TEXT = 300

_Problem = tuple[ExportReason, str, bool]
"""Reason, remedy, and whether no retry can cure it."""


@dataclass(frozen=True)
class Destination:
    """Where files are written: a folder or a bucket; every method raises `ExportError` if it fails.

    `name` is that of the volume or bucket and `field` the field of the resource that names it, both
    for messages.
    """

    store: S3Store | LocalStore
    name: str
    field: str

    def put(self, path: str, content: bytes) -> None:
        """Write a file, in place of what may be there."""
        with self._explained("writing", path):
            obstore.put(self.store, path, content)

    def get(self, path: str) -> bytes:
        """Return a file."""
        with self._explained("reading", path):
            return bytes(obstore.get(self.store, path).bytes())

    def folders(self, parent: str) -> list[str]:
        """Return the names of the folders in one, sorted."""
        with self._explained("listing", parent):
            prefixes = obstore.list_with_delimiter(self.store, parent)["common_prefixes"]
        return sorted(prefix.rstrip("/").rpartition("/")[2] for prefix in prefixes)

    def delete_folder(self, path: str) -> None:
        """Delete all files of a folder."""
        with self._explained("deleting", path):
            for part in obstore.list(self.store, path):
                obstore.delete(self.store, [each["path"] for each in part])

    @contextmanager
    def _explained(self, action: str, path: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            # Only the first line: a server's response must not reach the status.
            text = str(error).partition("\n")[0]
            explain = _bucket_problem if isinstance(self.store, S3Store) else _volume_problem
            reason, remedy, permanent = explain(error, text)
            short = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} …"
            message = f"{self.field}: {action} {path or '/'} in {self.name}: {short}; {remedy}"
            raise ExportError(reason, message, permanent=permanent) from error


def open_volume(folder: Path, claim: str) -> Destination:
    """Return the claim that is mounted at `folder`."""
    # A deleted export must not leave its empty folders, which a bucket does not have.
    store = LocalStore(folder, automatic_cleanup=True)
    return Destination(store, f"claim {claim}", "spec.results.export.persistentVolumeClaim")


def open_bucket(bucket: ExportBucket, credentials: Path, ca: Path) -> Destination:
    """Return a bucket, with the folders of its keys and of the certificates to trust, if any are.

    It raises `ExportError` with `ExportSecretNotFound` if a key is missing.
    """
    field = "spec.results.export.s3"
    secret = f"{field}.credentialsSecret: Secret {bucket.credentials_secret.name}"
    config: S3Config = {
        "bucket": bucket.bucket,
        "endpoint": bucket.endpoint.rstrip("/"),
        "region": bucket.region,
        "access_key_id": _read(credentials / ACCESS_KEY, secret),
        "secret_access_key": _read(credentials / SECRET_KEY, secret),
        # Most servers inside of a cluster have no DNS name for each bucket.
        "virtual_hosted_style_request": False,
    }
    if (credentials / SESSION_TOKEN).exists():
        config["session_token"] = _read(credentials / SESSION_TOKEN, secret)
    # A server inside of the cluster often has no certificate; the scheme is that of `endpoint`.
    client: ClientConfig = {"allow_http": True, "timeout": TIMEOUT}
    if bucket.tls is not None:
        client["root_certificate"] = _read(ca / CA_KEY, f"{field}.tls")
    store = S3Store(
        config=config,
        client_options=client,
        retry_config={"max_retries": MAX_RETRIES, "retry_timeout": RETRY_TIMEOUT},
    )
    return Destination(store, f"bucket {bucket.bucket}", field)


def _read(file: Path, what: str) -> str:
    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        text = f"{what} does not exist, or has no text under the key {file.name}; create it"
        # It may be created while the Job tries again.
        raise ExportError(ExportReason.EXPORT_SECRET_NOT_FOUND, text, permanent=False) from error


def _bucket_problem(error: Exception, text: str) -> _Problem:
    # object_store has few types of errors: their text says the rest.
    if "NoSuchBucket" in str(error) or isinstance(error, FileNotFoundError):
        remedy = "correct bucket or endpoint, or create the bucket"
        return ExportReason.BUCKET_NOT_FOUND, remedy, True
    if isinstance(error, PermissionError | PermissionDeniedError | UnauthenticatedError):
        remedy = "correct the Secret, or allow its user to list, put, get and delete below prefix"
        return ExportReason.BUCKET_FORBIDDEN, remedy, True
    if "non-2xx" in text or "Server returned" in text:
        return ExportReason.EXPORT_REFUSED, "correct what the status shows, or region", False
    remedy = "correct endpoint or tls, and check the network policies"
    return ExportReason.EXPORT_UNREACHABLE, remedy, False


def _volume_problem(_: Exception, text: str) -> _Problem:
    if "os error 28" in text or "os error 122" in text:  # ENOSPC, EDQUOT
        remedy = "enlarge the claim, delete old exports, or set results.export.keep"
        return ExportReason.VOLUME_FULL, remedy, True
    if any(f"os error {number})" in text for number in (1, 13, 30)):  # EPERM, EACCES, EROFS
        remedy = "let the group of the pod write to the folder (podOptions, component Export)"
        return ExportReason.VOLUME_FORBIDDEN, remedy, True
    return ExportReason.EXPORT_REFUSED, "check the volume", False


_EXPORT = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")
"""Name of a folder that we made; nothing else is ever deleted."""


def write_files(
    destination: Destination, folder: str, files: Iterable[tuple[str, bytes]]
) -> ExportOutcome:
    """Write files and read each back; the last one has the digests of all others.

    It raises `ExportError` if one cannot be written, or is not as it was written.
    """
    count, total, digest = 0, 0, ""
    for name, content in files:
        path = f"{folder}/{name}"
        destination.put(path, content)
        digest = hashlib.sha256(content).hexdigest()
        if hashlib.sha256(destination.get(path)).hexdigest() != digest:
            message = f"{path} in {destination.name} is not what was written; check its storage"
            raise ExportError(ExportReason.EXPORT_DAMAGED, message, permanent=False)
        count, total = count + 1, total + len(content)
    return ExportOutcome(files=count, bytes=total, sha256=digest)


def remove_older(destination: Destination, parent: str, own: str, keep: int) -> int:
    """Delete the exports beside one beyond `keep`, oldest first; return how many."""
    folders = destination.folders(parent)
    others = [each for each in folders if _EXPORT.fullmatch(each) and each != own]
    # Names begin with the time, so that the oldest ones are first.
    surplus = others[: max(len(others) - (keep - 1), 0)]
    for each in surplus:
        destination.delete_folder(f"{parent}/{each}")
    return len(surplus)
