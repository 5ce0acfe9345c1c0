"""The trust in an API server, and the certificate shown to it."""

import ssl
import tempfile
from base64 import b64decode
from pathlib import Path

from solrbench.cluster.client.credentials import Credential
from solrbench.cluster.client.kubeconfig import ClusterAccess, Entry, NoClusterError


def tls_context(access: ClusterAccess, credential: Credential | None) -> ssl.SSLContext:
    """Return how connections to the API server are secured.

    Raises:
        NoClusterError: if a certificate or key cannot be read.

    """
    try:
        context = _trust(access)
        certificate = _text(access.user, "client-certificate")
        key = _text(access.user, "client-key")
        if credential is not None and credential.get("clientCertificateData"):
            certificate = credential["clientCertificateData"]
            key = credential.get("clientKeyData")
        if certificate and key:
            _show(context, certificate, key)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise NoClusterError(
            f"a certificate of the kubeconfig cannot be used: {error}; correct it"
        ) from error
    return context


def _trust(access: ClusterAccess) -> ssl.SSLContext:
    cluster = access.cluster
    if access.server.startswith("http:"):
        # Nothing is secured, and reading the authorities of the system takes 20 ms.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context(cadata=_text(cluster, "certificate-authority"))
    # From Python 3.13 on, authorities without a key identifier are refused: those of many clusters.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _text(entry: Entry, name: str) -> str | None:
    """Return what stands under a name, or in the file that it names."""
    if entry.get(f"{name}-data"):
        text = "".join(str(entry[f"{name}-data"]).split())  # Go ignores the ends of lines, too
        return b64decode(text, validate=True).decode("utf-8")
    return Path(entry[name]).read_text("utf-8") if entry.get(name) else None


def _show(context: ssl.SSLContext, certificate: str, key: str) -> None:
    # The library takes files only. The folder is the user's alone, and gone at once.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "client.pem"
        file.write_text(f"{certificate}\n{key}\n", "utf-8")
        context.load_cert_chain(file)
