"""Certificates made on the spot by the openssl command."""

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest


def authority(folder: Path, name: str) -> Path:
    """Make an authority; return its certificate, beside which its key lies."""
    certificate = folder / f"{name}.pem"
    _openssl(
        "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-subj", f"/CN={name}", "-days", "1", "-keyout", str(folder / f"{name}.key"),
        "-addext", "keyUsage=critical,keyCertSign", "-out", str(certificate),
    )  # fmt: skip
    return certificate


def server_context(folder: Path, signer: str, host: str) -> ssl.SSLContext:
    """Return what a server of `host` (`DNS:name` or `IP:address`) needs, signed by an authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*server_files(folder, signer, host))
    return context


def server_files(folder: Path, signer: str, host: str) -> tuple[Path, Path]:
    """Make certificate and key of a server, as `server_context` does; return their files."""
    key, certificate = folder / "server.key", folder / "server.pem"
    _openssl(
        "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-subj", "/CN=server", "-days", "1", "-CA", str(folder / f"{signer}.pem"),
        "-CAkey", str(folder / f"{signer}.key"), "-addext", f"subjectAltName={host}",
        "-addext", "basicConstraints=critical,CA:FALSE",
        "-keyout", str(key), "-out", str(certificate),
    )  # fmt: skip
    return certificate, key


def _openssl(*arguments: str) -> None:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is missing")
    subprocess.run([program, *arguments], check=True, capture_output=True, timeout=30)
