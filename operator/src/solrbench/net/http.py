"""HTTP credentials and TLS trust, shared by all HTTP clients.

They are never printed: `repr` hides them, and no message contains them.
"""

import ssl
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import httpx

from solrbench.errors import PermanentError
from solrbench.net.pooled_client import create_pooled_client
from solrbench.plan.auth_files import PASSWORD, USERNAME, AuthFiles
from solrbench.reasons.lifecycle import LifecycleReason


@dataclass(frozen=True)
class HttpAuth:
    """Credentials of a client, and the authorities it trusts.

    Attributes:
        authorization: value of the header, or `None` for none
        ca: certificates of the trusted authorities in PEM, or `None` for the system's

    """

    authorization: str | None = field(default=None, repr=False)
    ca: str | None = field(default=None, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        return {} if self.authorization is None else {"Authorization": self.authorization}

    @cached_property
    def ssl_context(self) -> ssl.SSLContext:
        """Trust for https.

        Raises:
            PermanentError: `CertificateNotTrusted` if the certificates cannot be read.

        """
        try:
            # Of an empty text Python would make trust in the system's authorities.
            return ssl.create_default_context(cadata=None if self.ca is None else self.ca or " ")
        except (ssl.SSLError, ValueError) as error:
            raise PermanentError(
                LifecycleReason.CERTIFICATE_NOT_TRUSTED,
                f"target.existing.tls.caSecret has no certificates in PEM: {error}; correct it",
            ) from error

    @property
    def verify(self) -> ssl.SSLContext:
        """Trust for clients of httpx: the given authorities', or those that come with it.

        Raises:
            PermanentError: as `ssl_context` does.

        """
        return _bundled_trust() if self.ca is None else self.ssl_context

    def open_client(self, timeout_seconds: float) -> httpx.Client:
        """Return a client with these credentials, whose responses are limited.

        Raises:
            PermanentError: as `ssl_context` does.

        """
        return create_pooled_client(timeout_seconds, self.verify, self.headers)


@cache
def _bundled_trust() -> ssl.SSLContext:
    # Once for all clients: reading the authorities takes 30 ms, and a reconcile creates a client.
    return httpx.create_ssl_context(trust_env=False)


NO_AUTH = HttpAuth()
"""For a target that requires no authentication."""


def basic_auth(username: str, password: str) -> str:
    """Return the header's value for a user (RFC 7617, in UTF-8)."""
    return "Basic " + b64encode(f"{username}:{password}".encode()).decode("ascii")


def read_auth(files: AuthFiles) -> HttpAuth:
    """Return what the files of a pod hold.

    Raises:
        OSError: if one cannot be read.

    """
    authorization = None
    if files.credentials_folder is not None:
        folder = Path(files.credentials_folder)
        authorization = basic_auth(_line(folder / USERNAME), _line(folder / PASSWORD))
    ca = None if files.ca_file is None else Path(files.ca_file).read_text("utf-8")
    return HttpAuth(authorization, ca)


def _line(file: Path) -> str:
    """Return a file's text without the line end that editors and `echo` put there."""
    return file.read_text("utf-8").rstrip("\r\n")


def certificate_problem(error: BaseException | None) -> str | None:
    """Return why a certificate was not trusted, or `None` if `error` has another cause."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message or str(error)
        error = error.__cause__ or error.__context__
    return None
