"""What downloads may reach, and what they show there: hosts, addresses, credentials, trust."""

import math
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2 as httpx

from solrbench.api.v1alpha1.dataset import Http
from solrbench.contract.load_plan import (
    CA_KEY,
    DOWNLOAD_CA_FOLDER,
    DOWNLOAD_CREDENTIALS_FOLDER,
    PASSWORD,
    TOKEN,
    USERNAME,
)
from solrbench.decide.hosts import check_addresses, check_name, host_of, qualify
from solrbench.decide.references import HOSTS_SETTING, URLS_FIELD
from solrbench.errors import PermanentError
from solrbench.index.errors import IndexingError
from solrbench.net.http import HttpAuth, basic_auth
from solrbench.reasons.data import IndexingReason


@dataclass(frozen=True)
class DownloadRules:
    """What the operator and the pod say about downloads."""

    namespace: str = "default"
    """That of the benchmark, where a host without dots is."""
    allowed_hosts: tuple[str, ...] = ("*",)
    """Patterns, as in the operator's settings."""
    api_server: tuple[str, ...] = ()
    """Its addresses, which no download may connect to."""
    seconds: float = math.inf
    """How long all downloads of a pod may take."""
    credentials: Path = Path(DOWNLOAD_CREDENTIALS_FOLDER)
    ca: Path = Path(DOWNLOAD_CA_FOLDER)
    address_rule: Callable[[str, Iterable[str], Iterable[str], str], None] = check_addresses
    """Refuses addresses of a host that nothing may connect to, by `HostNotAllowed`."""

    def check_url(self, url: httpx.URL, field: str = URLS_FIELD) -> None:
        """Check the host of a URL by its name; else `PermanentError` with `HostNotAllowed`."""
        host = host_of(qualify(str(url), self.namespace))
        check_name(host, self.allowed_hosts, field, HOSTS_SETTING)

    def check_addresses(self, host: str, addresses: Sequence[str]) -> None:
        """Check addresses of a host, or the proxy, before a connection; errors as `check_url`."""
        # At each connection: a name may lead elsewhere than when the operator checked it.
        self.address_rule(host, addresses, self.api_server, URLS_FIELD)


def read_headers(http: Http, rules: DownloadRules) -> Mapping[str, str]:
    """Return the headers with the credentials; `DatasetSecretNotFound` if there are none."""
    if http.auth is None:
        return {}
    if http.auth.basic_secret is not None:
        field = f"spec.dataset.http.auth.basicSecret: Secret {http.auth.basic_secret.name}"
        user, password = (_read(rules.credentials / key, field) for key in (USERNAME, PASSWORD))
        return {"Authorization": basic_auth(user, password)}
    secret = http.auth.bearer_secret
    field = f"spec.dataset.http.auth.bearerSecret: Secret {secret.name if secret else ''}"
    token = _read(rules.credentials / TOKEN, field).strip()
    # A library that cannot send it would quote it in its error.
    if not (token and token.isascii() and token.isprintable()):
        text = f"{field} has no token that can be sent: it must be one line of ASCII; correct it"
        raise IndexingError(IndexingReason.DATASET_SECRET_NOT_FOUND, text, permanent=True)
    return {"Authorization": f"Bearer {token}"}


def read_trust(http: Http, rules: DownloadRules) -> ssl.SSLContext | None:
    """Return the authorities of a download; `None` for those of the image.

    `IndexingError` is `DatasetSecretNotFound`, or `CertificateNotTrusted` if there is none in PEM.
    """
    if http.tls is None:
        return None
    authorities = http.tls.ca_config_map or http.tls.ca_secret
    field = f"spec.dataset.http.tls: {authorities.name if authorities else ''}"
    try:
        return HttpAuth(ca=_read(rules.ca / CA_KEY, field)).verify
    except PermanentError as error:
        message = f"{field} has no certificates in PEM; correct it"
        raise IndexingError(error.reason, message, permanent=True) from error


def _read(file: Path, what: str) -> str:
    try:
        return file.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise IndexingError(
            IndexingReason.DATASET_SECRET_NOT_FOUND,
            f"{what} does not exist, or has no text under the key {file.name}; create it",
            permanent=False,  # the kubelet brings keys that are added to a Secret later
        ) from error
