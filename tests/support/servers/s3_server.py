"""A real S3 server on loopback, which checks signatures: versitygw over a folder."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2 as httpx

from bench.servers.running import free_port

PROGRAM = "versitygw"
ACCESS, SECRET = "benchmarks", "kept-in-a-secret"


@dataclass(frozen=True)
class S3Server:
    """A server under way."""

    url: str
    folder: Path

    def objects(self, bucket: str) -> dict[str, bytes]:
        """Return what a bucket holds, by key."""
        root = self.folder / bucket
        files = [each for each in sorted(root.rglob("*")) if each.is_file()]
        return {str(each.relative_to(root)): each.read_bytes() for each in files}


@contextmanager
def s3_server(
    folder: Path, buckets: tuple[str, ...], certificate: tuple[Path, Path] | None = None
) -> Iterator[S3Server]:
    """Run a server with these buckets; with a certificate and its key, by TLS."""
    program = shutil.which(PROGRAM)
    assert program is not None
    for each in buckets:
        (folder / each).mkdir(parents=True)
    address = f"127.0.0.1:{free_port()}"
    tls = (
        [] if certificate is None else ["--cert", str(certificate[0]), "--key", str(certificate[1])]
    )
    options = ["--port", address, "--access", ACCESS, "--secret", SECRET, "--quiet", *tls]
    process = subprocess.Popen([program, *options, "posix", "--nometa", str(folder)])
    try:
        url = f"{'http' if certificate is None else 'https'}://{address}"
        _wait(process, url)
        yield S3Server(url, folder)
    finally:
        process.terminate()
        process.wait(10)


def _wait(process: "subprocess.Popen[bytes]", url: str) -> None:
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        try:
            httpx.get(url, verify=False, trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"{PROGRAM} does not respond at {url}")
