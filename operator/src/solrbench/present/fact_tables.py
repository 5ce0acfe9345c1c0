"""What a reader has to know beside the tables: outcome, target, data and load, by name."""

from datetime import UTC, datetime

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.load.load import Step
from solrbench.api.v1alpha1.status.steps.step_result import Column
from solrbench.api.v1alpha1.status.target import IndexPodsStatus
from solrbench.results.stats.number_format import format_number, format_percent

Facts = dict[str, str]

_MEBIBYTE = 1 << 20
_MOST_STEPS = 12
"""Steps that are listed; the tables have all."""


def facts(benchmark: SolrBenchmark) -> Facts:
    """Return all facts in their order; what is not known is left out."""
    return {
        **outcome_facts(benchmark),
        **target_facts(benchmark),
        **data_facts(benchmark),
        **load_facts(benchmark),
    }


def outcome_facts(benchmark: SolrBenchmark) -> Facts:
    """Return how it ended, and when."""
    status = benchmark.status
    succeeded = next((c for c in status.conditions if c.type == "Succeeded"), None)
    return _known(
        {
            "Phase": status.phase,
            Column.VERDICT: status.summary.verdict,
            "Outcome": f"{succeeded.reason}: {succeeded.message}" if succeeded else "",
            "Started": format_time(status.start_time),
            "Finished": format_time(status.completion_time),
        }
    )


def target_facts(benchmark: SolrBenchmark) -> Facts:
    """Return what was measured."""
    status, target, collection = benchmark.status, benchmark.spec.target, benchmark.spec.collection
    solr = target.solr_cloud
    shards = count(collection.shards, "shard")
    replicas = count(collection.replicas.total, "replica")
    kinds = collection.replicas.model_dump(exclude_defaults=True)
    return _known(
        {
            "Solr": status.target.solr_version or (solr.image.reference if solr else ""),
            "Target": f"made with {solr.provisioner}" if solr else "existing Solr",
            "Nodes": f"{solr.nodes}, heap {solr.heap} each" if solr else "",
            "ZooKeepers": str(solr.zookeeper.replicas) if solr else "",
            "Collection": f"{shards}, {replicas} each ({', '.join(kinds).upper()})",
            "Variants": ", ".join(each.name for each in target.variants),
        }
    )


def data_facts(benchmark: SolrBenchmark) -> Facts:
    """Return what was indexed, and how fast."""
    data = benchmark.status.dataset
    rate, size = data.documents_per_second, data.index_bytes
    return _known(
        {
            "Dataset": _dataset(benchmark.spec.dataset),
            "Documents": "" if data.documents is None else f"{data.documents:,}",
            "Indexing": "" if rate is None else f"{format_number(rate)} documents/s",
            "Index pods": "" if data.pods is None else _index_pods(data.pods),
            "Index size": "" if size is None else f"{format_number(size / _MEBIBYTE)} MiB",
        }
    )


def _index_pods(pods: IndexPodsStatus) -> str:
    shown = [] if pods.cpu_cores is None else [f"{format_number(pods.cpu_cores)} cores used"]
    if pods.throttled_percent:
        shown.append(f"throttled {format_percent(pods.throttled_percent)} of the time")
    return ", ".join(shown)


def load_facts(benchmark: SolrBenchmark) -> Facts:
    """Return what was sent."""
    load, status = benchmark.spec.load, benchmark.status
    steps = [f"{step.name} ({step_text(step)})" for step in load.steps[:_MOST_STEPS]]
    more = len(load.steps) - len(steps)
    if more > 0:
        steps.append(f"and {count(more, 'further step')}")
    names = dict.fromkeys(each.request for each in status.results)
    repeats = max((each.repeats for each in status.results), default=0)
    return _known(
        {
            "Requests": ", ".join(names),
            "Steps": ", ".join(steps),
            "Repeats": str(repeats) if repeats else "",
            "Load workers": str(load.workers),
        }
    )


def step_text(step: Step) -> str:
    """Return the load of a step, such as `8 users, 120 s`."""
    if step.users is not None:
        load = count(step.users, "user")
    else:
        load = f"{format_number(step.requests_per_second or 0)} requests/s planned"
    length = (
        f"{step.duration_seconds} s"
        if step.duration_seconds is not None
        else count(step.requests or 0, "request")
    )
    return f"{load}, {length}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 shard`, `2 shards`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_time(time: datetime | None) -> str:
    """Return a time in UTC, to the second; empty if unknown."""
    return "" if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _dataset(dataset: Dataset | None) -> str:
    if dataset is None:
        return "as it was in the collection"
    sources = (
        (dataset.generator, "generated"),
        (dataset.http, "downloaded"),
        (dataset.persistent_volume_claim, "files of a PersistentVolumeClaim"),
        (dataset.config_map, "files of a ConfigMap"),
    )
    return next((text for source, text in sources if source is not None), "")


def _known(found: Facts) -> Facts:
    return {name: text for name, text in found.items() if text}
