"""Where the pods of a benchmark find what an existing target, or a download, requires.

Plans, which are ConfigMaps, only name the files; the contents stay in the Secrets.
"""

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.target.existing import Existing

USERNAME, PASSWORD = "username", "password"
CREDENTIALS_FOLDER = "/var/run/solrbench/credentials"
CA_FOLDER = "/var/run/solrbench/ca"
CA_KEY = "ca.crt"
TOKEN = "token"  # noqa: S105 - name of a key
DOWNLOAD_CREDENTIALS_FOLDER = "/var/run/solrbench/dataset-credentials"
DOWNLOAD_CA_FOLDER = "/var/run/solrbench/dataset-ca"


class AuthFiles(Model):
    """Files on a pod's disk, mounted from Secrets."""

    credentials_folder: str | None = None
    """Folder with the files `username` and `password`."""
    ca_file: str | None = None
    """Certificates of the authorities to trust, in PEM."""


def auth_files(existing: Existing | None) -> AuthFiles:
    """Return the files that the pods of a benchmark with this target find."""
    if existing is None:
        return AuthFiles()
    return AuthFiles(
        credentials_folder=None if existing.basic_auth is None else CREDENTIALS_FOLDER,
        ca_file=None if existing.tls is None else f"{CA_FOLDER}/{CA_KEY}",
    )
