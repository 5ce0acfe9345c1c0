"""`solrbench logs`: what the pods of a benchmark print."""

import threading
from collections.abc import Iterator
from queue import Empty, Queue
from typing import NamedTuple

import click

from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, open_cluster
from solrbench.cli.program import program_name
from solrbench.cli.resources import get_resource, key_of, list_points
from solrbench.contract import names
from solrbench.contract.names import LABEL_BENCHMARK, LABEL_COMPONENT, LABEL_SWEEP
from solrbench.contract.step_runs import ANNOTATION_TARGET
from solrbench.decide.conditions import is_over
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.facts import is_of_nodes
from solrbench.kube.reader import Manifest

COMPONENTS = tuple(each for each in names.COMPONENTS if each != names.REPORT)
MAX_BYTES = 1 << 20
"""Of the log of one container."""


class LogSource(NamedTuple):
    """A container of a pod."""

    pod: str
    container: str

    @property
    def prefix(self) -> str:
        """What its lines begin with."""
        return f"[{self.pod}/{self.container}] "


@command(
    "solrbench logs quickstart",
    "solrbench logs quickstart --component solr -f",
    "solrbench logs quickstart --previous --tail 200",
)
@click.argument("name")
@click.option(
    "--component",
    "components",
    multiple=True,
    type=click.Choice(COMPONENTS),
    help="Only of these pods; may be given several times.",
)
@click.option("-f", "--follow", is_flag=True, help="Go on with new lines until the pods end.")
@click.option("--previous", is_flag=True, help="Of the runs before the last restarts.")
@click.option(
    "--tail",
    "lines",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="LINES",
    help="Lines of each container.",
)
@cluster_options
def logs(name: str, components: tuple[str, ...], follow: bool, previous: bool, lines: int) -> None:
    """Print the logs of a benchmark's pods, each line with pod and container.

    Of a sweep these are the pods of the points under way.

    Logs of pods that are gone are not there any more; `report -o evidence` has what was kept of
    those that failed.
    """
    if follow and previous:
        raise click.UsageError("--previous shows runs that are over: give it without --follow")
    cluster, namespace = open_cluster()
    body = get_resource(cluster, namespace, name)
    sources = [
        source
        for pod in _pods_of(cluster, body)
        if not components or pod["metadata"]["labels"].get(LABEL_COMPONENT) in components
        for source in sources_of(pod)
    ]
    if not sources:
        key = key_of(body)
        kept = f"report {key.argument} -o evidence"
        if key.is_sweep:  # each of its benchmarks has its own
            kept = f"list -n {namespace} -l {LABEL_SWEEP}={key.name}`, `report NAME -o evidence"
        raise click.ClickException(
            f"{name} has no such pods now; see what was kept of failed ones with"
            f" `{program_name()} {kept}`"
        )
    if follow:
        _follow(cluster, namespace, sources, lines)
        return
    for source in sources:
        for line in read_log(cluster, namespace, source, lines, previous=previous).splitlines():
            click.echo(source.prefix + line)


def _pods_of(cluster: Cluster, body: Manifest) -> list[Manifest]:
    """Return the pods of a benchmark, or of those points of a sweep that may have pods."""
    benchmarks, key = [body], key_of(body)
    if key.is_sweep:
        benchmarks = [each for each in list_points(cluster, key) if not is_over(each)]
    pods: list[Manifest] = []
    for metadata in (each["metadata"] for each in benchmarks):
        pods += cluster.list("v1", "Pod", key.namespace, {LABEL_BENCHMARK: metadata["name"]})
        # A point may share the target of the one before, whose pods have the name of that one.
        target = (metadata.get("annotations") or {}).get(ANNOTATION_TARGET, metadata["name"])
        if target != metadata["name"]:
            shared = cluster.list("v1", "Pod", key.namespace, {LABEL_BENCHMARK: target})
            pods += filter(is_of_nodes, shared)
    return pods


def sources_of(pod: Manifest) -> Iterator[LogSource]:
    """Yield the containers of a pod that have begun."""
    status = pod.get("status") or {}
    for kind in ("initContainerStatuses", "containerStatuses"):
        for each in status.get(kind, []):
            # One that waits for its next start has a log of the starts before.
            if "waiting" not in each.get("state", {}) or each.get("restartCount"):
                yield LogSource(pod["metadata"]["name"], each["name"])


def read_log(
    cluster: Cluster, namespace: str, source: LogSource, lines: int, *, previous: bool = False
) -> str:
    """Return the end of a container's log, or why it cannot be read."""
    try:
        key = namespace, source.pod, source.container
        return cluster.pod_log(*key, previous=previous, lines=lines, max_bytes=MAX_BYTES)
    except SolrbenchError as error:
        return f"({error.message})\n"


def _follow(cluster: Cluster, namespace: str, sources: list[LogSource], lines: int) -> None:
    # Printed by one thread: a reader that is gone ends the command, and not a thread of it.
    found = Queue[tuple[str, bool] | None](1000)

    def follow_one(source: LogSource) -> None:
        try:
            for line in cluster.follow_log(namespace, source.pod, source.container, lines):
                found.put((source.prefix + line, False))
        except SolrbenchError as error:
            found.put((f"{source.prefix}({error.message})", True))
        finally:
            found.put(None)

    # Daemons: Ctrl-C must not wait for connections on which nothing is sent.
    threads = [threading.Thread(target=follow_one, args=[each], daemon=True) for each in sources]
    for thread in threads:
        thread.start()
    left = len(threads)
    while left:
        try:
            line = found.get(timeout=0.5)  # so that Ctrl-C is noticed
        except Empty:
            continue
        if line is None:
            left -= 1
        else:
            click.echo(line[0], err=line[1])
