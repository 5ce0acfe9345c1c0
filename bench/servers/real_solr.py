"""A Solr of one node, on loopback, with a ZooKeeper inside: the jars that the test image has."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx

from bench.harness.processes import cpu_seconds, started, wait_until
from bench.servers.running import Server, free_port
from solrbench.solr.config_set import built_in_archive

_IMAGE = Path(__file__).parents[2] / "hack" / "cluster" / "image-sources" / "solr"
_START_SECONDS = 120.0
_REQUEST_SECONDS = 120.0


def copy_jars(pom: Path, folder: Path) -> Path:
    """Return a folder with the jars that a list of Maven names."""
    if shutil.which("mvn") is None or shutil.which("javac") is None:
        raise FileNotFoundError(
            "mvn and javac are not on the PATH; hack/tools cluster installs them"
        )
    copied = folder / "list.xml"
    copied.write_bytes(pom.read_bytes())  # beside a pom Maven writes what it did
    options = ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    target = folder / "lib"
    command = ["mvn", "-q", "-B", "-f", str(copied), *options, f"-DoutputDirectory={target}"]
    subprocess.run(command, check=True)
    return target


def compile_class(source: Path, jars: Path, folder: Path) -> str:
    """Compile one class against jars; return the class path of both."""
    classes = folder / "classes"
    command = ["javac", "-nowarn", "-cp", f"{jars}/*", "-d", str(classes), str(source)]
    subprocess.run(command, check=True)
    return f"{classes}:{jars}/*"


@dataclass(frozen=True)
class RealSolr(Server):
    """A node, with the config set `bench`."""

    def cpu_seconds(self) -> float:
        """Return the CPU time of the node since its start."""
        return cpu_seconds(self.pid)

    def ask(self, path: str, parameters: Mapping[str, str]) -> Any:
        """Return the JSON of a response."""
        response = httpx.get(f"{self.url}{path}", params=parameters, timeout=_REQUEST_SECONDS)
        return response.raise_for_status().json()

    def post(self, path: str, body: object, parameters: Mapping[str, str] | None = None) -> None:
        """Send JSON."""
        url = f"{self.url}{path}"
        response = httpx.post(url, params=parameters, json=body, timeout=_REQUEST_SECONDS)
        response.raise_for_status()

    def create(
        self, collection: str, shards: int, replicas: Mapping[str, int] | None = None
    ) -> None:
        """Create a collection, all replicas of which are on this node; `replicas` of a type."""
        given = {"action": "CREATE", "name": collection, "numShards": str(shards)}
        given |= {key: str(count) for key, count in (replicas or {}).items()}
        self.ask("/admin/collections", given | {"collection.configName": "bench"})

    def delete(self, collection: str) -> None:
        """Delete a collection."""
        self.ask("/admin/collections", {"action": "DELETE", "name": collection})

    def remove_documents(self, collection: str) -> None:
        """Remove all documents; the files of the index are gone when it returns."""
        self.post(f"/{collection}/update", {"delete": {"query": "*:*"}}, {"commit": "true"})

    def count(self, collection: str) -> int:
        """Commit, and return the number of documents."""
        self.ask(f"/{collection}/update", {"commit": "true"})
        found = self.ask(f"/{collection}/select", {"q": "*:*", "rows": "0"})
        return int(found["response"]["numFound"])


@contextmanager
def real_solr(folder: Path, heap: str = "1g") -> Iterator[RealSolr]:
    """Run a node until the block ends."""
    place, port = folder / "solr", free_port()
    home = place / "home"
    home.mkdir(parents=True)
    path = compile_class(_IMAGE / "SolrServer.java", copy_jars(_IMAGE / "pom.xml", place), place)
    shutil.copy(_IMAGE / "solr.xml", home)
    zookeeper = free_port()
    (home / "zoo.cfg").write_text(f"tickTime=2000\nclientPort={zookeeper}\n")
    properties = {
        "solr.install.dir": place,
        "solr.log.dir": place,
        "solr.solr.home": home,
        "jetty.port": port,
        "solr.jetty.host": "127.0.0.1",
        "host": "127.0.0.1",
        "solr.port.advertise": port,
        "zkRun": f"127.0.0.1:{zookeeper}",
        "solr.log.level": "WARN",
        "log4j.configurationFile": _IMAGE / "log4j2.xml",
    }
    given = [f"-D{name}={value}" for name, value in properties.items()]
    memory = [f"-Xms{heap}", f"-Xmx{heap}", "-XX:+UseG1GC", "-Xss256k"]
    command = ["java", *memory, *given, "-cp", path, "SolrServer"]
    with started(command, folder / "solr.log") as process:
        solr = RealSolr(port, process.pid)
        wait_until(lambda: _is_ready(solr), _START_SECONDS, "Solr")
        archive = built_in_archive()
        upload = {"action": "UPLOAD", "name": "bench"}
        url = f"{solr.url}/admin/configs"
        httpx.post(url, params=upload, content=archive, timeout=_REQUEST_SECONDS).raise_for_status()
        yield solr


def _is_ready(solr: RealSolr) -> bool:
    try:
        found = solr.ask("/admin/collections", {"action": "CLUSTERSTATUS"})
    except httpx.HTTPError:
        return False
    return bool(found["cluster"]["live_nodes"])
