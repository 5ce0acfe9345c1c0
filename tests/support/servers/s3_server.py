"""A real S3 server on loopback, which checks signatures: versitygw over a folder."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.harness.processes import started, wait_until
from bench.servers.running import free_port, is_open

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
    port = free_port()
    address = f"127.0.0.1:{port}"
    tls = (
        [] if certificate is None else ["--cert", str(certificate[0]), "--key", str(certificate[1])]
    )
    options = ["--port", address, "--access", ACCESS, "--secret", SECRET, "--quiet", *tls]
    command = [program, *options, "posix", "--nometa", str(folder)]
    with started(command, folder.with_suffix(".log")):
        wait_until(lambda: is_open(port), 20, f"{PROGRAM} at {address}")
        yield S3Server(f"{'http' if certificate is None else 'https'}://{address}", folder)
