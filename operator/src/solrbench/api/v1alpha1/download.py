"""`spec.dataset.http`: files that index pods download."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import (
    PORT,
    FileName,
    Int,
    ObjectName,
    ObjectReference,
    Url,
)

Sha256 = Annotated[
    str,
    StringConstraints(min_length=64, max_length=64),
    Matches(r"[0-9a-f]{64}", "must be a SHA-256 in 64 lower-case hexadecimal digits"),
]
"""Digest of a file."""

ProxyUrl = Annotated[
    str,
    StringConstraints(min_length=8, max_length=512),
    Matches(
        rf"http://([^/?#\s:@\[\]]+|\[[0-9A-Fa-f:.]+\])(:{PORT})?/?",
        "must be the URL of an HTTP proxy without user and path, such as"
        " http://proxy.example.org:3128",
    ),
]
"""Address of a proxy."""


class TokenKey(Model):
    """One key of a Secret with a token."""

    name: ObjectName
    """`name` is the name of the Secret."""
    key: FileName = "token"
    """`key` is the key of the Secret."""


class CertificateKey(Model):
    """One key of a ConfigMap or Secret with certificates."""

    name: ObjectName
    """`name` is the name of the ConfigMap or Secret."""
    key: FileName = "ca.crt"
    """`key` is the key that holds the certificates."""


class DownloadAuth(Model):
    """Credentials of a download, by reference."""

    basic_secret: ObjectReference | None = None
    """`basicSecret` names a Secret with the keys `username` and `password`."""
    bearer_secret: TokenKey | None = None
    """`bearerSecret` is a Secret key with a token."""

    rules: ClassVar = (exactly_one("basicSecret", "bearerSecret"),)


class DownloadTls(Model):
    """CA certificates, in PEM; no others are trusted."""

    ca_config_map: CertificateKey | None = None
    """`caConfigMap` is a ConfigMap key with the certificates."""
    ca_secret: CertificateKey | None = None
    """`caSecret` is a Secret key with the certificates."""

    rules: ClassVar = (exactly_one("caConfigMap", "caSecret"),)


class Http(Model):
    """Files fetched over HTTP; a `.gz` file is unpacked while it is read."""

    urls: Annotated[
        list[Url],
        Field(min_length=1, max_length=256),
    ]
    """`urls` are the files to read. With several index pods each downloads its own: file 1, 1 + n,
    1 + 2n and so on with n pods. Pods that outnumber the files share one."""
    sha256: Annotated[list[Sha256], Field(min_length=1, max_length=256)] | None = None
    """`sha256` are the digests of the files as downloaded, in the order of `urls`. A file that
    differs ends the benchmark."""
    auth: DownloadAuth | None = None
    """`auth` are the credentials that are sent to the hosts of `urls`, and never to one that a
    redirect leads to."""
    tls: DownloadTls | None = None
    """`tls` controls which certificates are trusted for https; the CA bundle of the operator's
    image when absent."""
    proxy_url: ProxyUrl | None = None
    """`proxyUrl` is an HTTP proxy through which all files are downloaded."""
    max_gibibytes: Annotated[Int, Field(ge=1, le=1_048_576)] = 1024
    """`maxGibibytes` limits each file, as downloaded and again when decompressed, in GiB."""

    @property
    def secret_fields(self) -> tuple[str, ...]:
        """Paths of the fields that refer to Secrets."""
        path = "spec.dataset.http"
        found = () if self.auth is None else (f"{path}.auth",)
        return (
            found
            if self.tls is None or self.tls.ca_secret is None
            else (
                *found,
                f"{path}.tls.caSecret",
            )
        )

    rules: ClassVar = (
        Rule(
            cel="!has(self.sha256) || self.sha256.size() == self.urls.size()",
            message="sha256 must have one digest for each of urls, in their order",
            is_satisfied=lambda h: h.sha256 is None or len(h.sha256) == len(h.urls),
        ),
    )
