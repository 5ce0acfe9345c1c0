"""Certificates made on the spot."""

import ssl
from pathlib import Path

from trustme import CA


def authority(folder: Path, name: str) -> Path:
    """Make an authority; return its certificate, beside which its key lies."""
    made = CA(organization_name=name)
    certificate, key = _authority_files(folder, name)
    made.cert_pem.write_to_path(certificate)
    made.private_key_pem.write_to_path(key)
    return certificate


def server_context(folder: Path, signer: str, host: str) -> ssl.SSLContext:
    """Return what a server of `host` (a name or an address) needs, signed by an authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*server_files(folder, signer, host))
    return context


def server_files(folder: Path, signer: str, host: str) -> tuple[Path, Path]:
    """Make certificate and key of a server, as `server_context` does; return their files."""
    pems = [path.read_bytes() for path in _authority_files(folder, signer)]
    issued = CA.from_pem(*pems).issue_cert(host)
    key, certificate = folder / "server.key", folder / "server.pem"
    issued.private_key_pem.write_to_path(key)
    issued.cert_chain_pems[0].write_to_path(certificate)
    return certificate, key


def _authority_files(folder: Path, name: str) -> tuple[Path, Path]:
    return folder / f"{name}.pem", folder / f"{name}.key"
