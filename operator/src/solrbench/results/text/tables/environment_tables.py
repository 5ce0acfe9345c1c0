"""What a benchmark ran on, as tables: nodes, pods, images and versions, seeds."""

from collections.abc import Iterable, Mapping, Sequence

from solrbench.results.model.environment import Environment, NodeRecord
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_number
from solrbench.results.text.tables.table import Row, Table

_GIBIBYTE = 1 << 30
_NODE_HEAD = (
    "Node",
    "Instance type",
    "Zone",
    "CPU",
    "Memory",
    "Architecture",
    "Kernel",
    "OS image",
    "Container runtime",
    "Kubelet",
)


def environment_tables(
    environment: Environment | None, documents: Sequence[StepRunResult]
) -> list[Table]:
    """Return the tables that have rows; none where nothing was recorded."""
    if environment is None:
        return []
    tables = [
        _nodes(environment.nodes),
        _pods(environment, documents),
        _images(environment),
        _seeds(environment.seeds),
    ]
    return [table.without_empty_columns() for table in tables if table.rows]


def _nodes(nodes: Iterable[NodeRecord]) -> Table:
    rows = [
        (
            node.name,
            node.instance_type or "",
            node.zone or "",
            "" if node.cpu_cores is None else f"{format_number(node.cpu_cores)} cores",
            "" if node.memory_bytes is None else _gibibytes(node.memory_bytes),
            node.architecture or "",
            node.kernel or "",
            node.os_image or "",
            node.container_runtime or "",
            node.kubelet_version or "",
        )
        for node in nodes
    ]
    return Table("Kubernetes nodes", _NODE_HEAD, rows, texts=frozenset(_NODE_HEAD))


def _gibibytes(size: int) -> str:
    return f"{format_number(size / _GIBIBYTE)} GiB"


def _pods(environment: Environment, documents: Iterable[StepRunResult]) -> Table:
    """Return the node of each pod; of components without pods of a known name, their nodes."""
    targets = [document.target for document in documents if document.target is not None]
    found: dict[tuple[str, str], None] = {}
    for target in targets:
        found |= dict.fromkeys(target.nodes.items())
    for attempt in environment.attempts:
        found |= dict.fromkeys(attempt.pods.items())
    named = {node for _, node in found}
    rows: list[Row] = [(pod, node) for pod, node in sorted(found)]
    for attempt in environment.attempts[:1]:
        for component, nodes in attempt.nodes.items():
            if not attempt.pods and (not named or not component.startswith(("solr", "zookeeper"))):
                rows += [(component, node) for node in nodes]
    return Table("Pods and their nodes", ("Pod", "Node"), rows, texts=frozenset({"Node"}))


def _images(environment: Environment) -> Table:
    versions = {"Solr": environment.solr_version, "JVM": environment.jvm_version}
    rows = [(name, "version", text) for name, text in versions.items() if text]
    rows += [(component, "image", image) for component, image in environment.images.items()]
    head = ("Component", "Kind", "Version or image")
    return Table("Versions and images", head, rows, texts=frozenset(head))


def _seeds(seeds: Mapping[str, int]) -> Table:
    rows = [(path, str(seed)) for path, seed in sorted(seeds.items())]
    return Table("Seeds", ("Field", "Seed"), rows)
