"""What a benchmark was: outcome, target, data and load by name, environment, verdicts in words."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from operator import itemgetter

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.findings import (
    INVALID,
    VALID,
    InvalidReason,
    StepVerdict,
    overall_verdict,
    steps_that_are,
)
from solrbench.api.v1alpha1.load import Step, mean_rate
from solrbench.api.v1alpha1.status import CleanedStatus, DatasetStatus, IndexedFile, IndexPodStatus
from solrbench.api.v1alpha1.step_result import ResultColumn, StepResult
from solrbench.api.v1alpha1.target import Variant
from solrbench.contract.environment import Environment, NodeRecord
from solrbench.contract.step_document import StepRunResult
from solrbench.present.table import Column, NameColumn, NumberColumn, Table, TextColumn, build_table
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.stats.number_format import (
    count_noun,
    format_bytes,
    format_cores,
    format_number,
    format_percent,
)

Facts = dict[str, str]

_MAX_STEPS = 12
"""Steps that are listed; the tables have all."""


def facts(benchmark: SolrBenchmark) -> Facts:
    """Return all facts in their order; what is not known is left out."""
    parts = (outcome_facts, target_facts, data_facts, load_facts)
    return {name: text for part in parts for name, text in part(benchmark).items()}


def outcome_facts(benchmark: SolrBenchmark) -> Facts:
    """Return how it ended, and when."""
    status = benchmark.status
    succeeded = find_condition(status.conditions, "Succeeded")
    return _known(
        {
            "Phase": status.phase,
            ResultColumn.VERDICT: status.summary.verdict,
            "Outcome": f"{succeeded.reason}: {succeeded.message}" if succeeded else "",
            "Started": format_time(status.start_time),
            "Finished": format_time(status.completion_time),
        }
    )


def target_facts(benchmark: SolrBenchmark) -> Facts:
    """Return what was measured."""
    status, target, collection = benchmark.status, benchmark.spec.target, benchmark.spec.collection
    solr = target.solr_cloud
    shards = count_noun(collection.shards, "shard")
    replicas = count_noun(collection.replicas.total, "replica")
    kinds = collection.replicas.model_dump(exclude_defaults=True)
    shape = f"{shards}, {replicas} each ({', '.join(kinds).upper()})"
    if target.existing is not None and target.existing.collection_name is not None:
        shape = f"{target.existing.collection_name}, as it is"
    taken = f", {status.target.reuses} of the point before" if status.target.reuses else ""
    zookeepers = ""
    if solr is not None:
        zookeepers = str(solr.zookeeper.connection_string or solr.zookeeper.replicas)
    return _known(
        {
            "Solr": status.target.solr_version or (solr.image.reference if solr else ""),
            "Target": f"SolrCloud by {solr.provisioner}{taken}" if solr else "existing Solr",
            "Nodes": f"{solr.nodes}, heap {solr.heap} each" if solr else "",
            "ZooKeepers": zookeepers,
            "Collection": shape,
            "Variants": ", ".join(map(_describe_variant, target.variants)),
            **{
                str(each.reason): each.message
                for each in status.conditions
                if each.reason == LifecycleReason.VERSION_NOT_TESTED
            },
        }
    )


def _describe_variant(variant: Variant) -> str:
    """Return `direct (Nodes)`, or `proxy (http://…)`."""
    urls = variant.urls or []
    more = f" and {len(urls) - 1} more" if len(urls) > 1 else ""
    return f"{variant.name} ({variant.endpoint or ''.join(urls[:1])}{more})"


def data_facts(benchmark: SolrBenchmark) -> Facts:
    """Return what was indexed, and how fast."""
    data, dataset = benchmark.status.dataset, benchmark.spec.dataset
    rate, size = data.documents_per_second, data.index_bytes
    source, pods = "as it was in the collection", list[str]()
    if dataset is not None:
        restored = "" if data.seconds is None else f" in {format_number(data.seconds)} s"
        sources = (
            (dataset.generator, "generated"),
            (dataset.http, "downloaded"),
            (dataset.persistent_volume_claim, "files of a PersistentVolumeClaim"),
            (dataset.config_map, "files of a ConfigMap"),
            (dataset.backup, f"restored from a backup{restored}"),
        )
        source = next((text for found, text in sources if found is not None), "")
    if data.pods is not None and data.pods.cpu_cores is not None:
        pods.append(f"{format_cores(data.pods.cpu_cores)} used")
    if data.pods is not None and data.pods.throttled_percent:
        pods.append(f"throttled {format_percent(data.pods.throttled_percent)} of the time")
    return _known(
        {
            "Dataset": source,
            "Documents": "" if data.documents is None else f"{data.documents:,}",
            "Indexing": "" if rate is None else f"{format_number(rate)} documents/s",
            "Index pods": ", ".join(pods),
            "Cleaned": "" if data.cleaned is None else _cleaned_text(data.cleaned),
            **{f"Indexing is {data.verdict}": each.message for each in data.reasons},
            "Index size": "" if size is None else format_bytes(size),
        }
    )


def _cleaned_text(cleaned: CleanedStatus) -> str:
    """Return what was cleaned, such as `2 documents: 3 control characters`."""
    kinds = (
        (cleaned.control_characters, "control character"),
        (cleaned.invalid_bytes, "place that was not UTF-8", "places that were not UTF-8"),
        (cleaned.markup_characters, "character of markup", "characters of markup"),
    )
    parts = [count_noun(*kind) for kind in kinds if kind[0]]
    return f"{count_noun(cleaned.documents, 'document')}{': ' if parts else ''}{', '.join(parts)}"


IndexRow = tuple[IndexPodStatus, IndexedFile | None]
"""A pod, or one of its files."""


def _of_pod_or_file(row: IndexRow) -> IndexPodStatus | IndexedFile:
    return row[1] or row[0]


INDEX_COLUMNS: Sequence[Column[IndexRow]] = (
    NameColumn("Index pod", lambda row: str(row[0].pod)),
    TextColumn("Node", lambda row: row[0].node),
    NameColumn("File", lambda row: f"all {row[0].files or ''}" if row[1] is None else row[1].name),
    NumberColumn("Documents", lambda row: _of_pod_or_file(row).documents),
    NumberColumn("MB", lambda row: _of_pod_or_file(row).bytes / 1e6, format_number),
    NumberColumn("Seconds", lambda row: _of_pod_or_file(row).seconds, format_number),
)


def index_rows(pods: Iterable[IndexPodStatus]) -> list[IndexRow]:
    """Return each pod, and its slowest files; a pod with one file is the row of that file.

    A single pod without files has no row, as it did what the facts say already.
    """
    rows: list[IndexRow] = []
    for pod in pods:
        whole = () if pod.files == len(pod.slowest_files) == 1 else (None,)
        rows += [(pod, file) for file in (*whole, *pod.slowest_files)]
    return [] if [file for _, file in rows] == [None] else rows


def index_pods_table(data: DatasetStatus) -> Table:
    """Return documents, size and time of each index pod, and of its slowest files."""
    rows = index_rows(data.by_pod)
    note = (
        "Size of a pod: the update requests that it sent; of a file: what was read, decompressed."
        if any(file is not None for _, file in rows)
        else ""
    )
    table = build_table("Indexing by pod and file", INDEX_COLUMNS, rows, note)
    return table.without_empty_columns()


def load_facts(benchmark: SolrBenchmark) -> Facts:
    """Return what was sent."""
    load, status = benchmark.spec.load, benchmark.status
    steps = [f"{step.name} ({step_text(step)})" for step in load.steps[:_MAX_STEPS]]
    more = len(load.steps) - len(steps)
    if more > 0:
        steps.append(f"and {count_noun(more, 'further step')}")
    names = dict.fromkeys(result.request for result in status.results)
    repeats = max((each.repeats for each in (*status.results, *status.totals)), default=0)
    return _known(
        {
            "Requests": ", ".join(names),
            "Steps": ", ".join(steps),
            "Repeats": str(repeats) if repeats else "",
            "Load workers": str(load.workers),
            "Left out of the status": ", ".join(status.report.left_out),
        }
    )


def step_text(step: Step) -> str:
    """Return the load of a step, such as `8 users, 120 s`."""
    rate = mean_rate(step)
    load = "replay" if rate is None else f"{format_number(rate)} requests/s planned"
    if step.rate_changes:
        load += " on average"
    if step.users is not None:
        load = count_noun(step.users, "user")
    if step.indexing is not None:
        load += f", updates of {count_noun(step.indexing.batch_size, 'document')}"
    if step.duration_seconds is not None:
        return f"{load}, {step.duration_seconds} s"
    return f"{load}, {count_noun(step.requests or 0, 'request')}"


def format_time(time: datetime | None) -> str:
    """Return a time in UTC, to the second; empty if unknown."""
    return "" if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _known(found: Facts) -> Facts:
    return {name: text for name, text in found.items() if text}


_NODE_COLUMNS: Sequence[Column[NodeRecord]] = (
    NameColumn("Node", lambda node: node.name),
    TextColumn("Instance type", lambda node: node.instance_type),
    TextColumn("Zone", lambda node: node.zone),
    TextColumn("CPU", lambda node: node.cpu_cores, format_cores),
    TextColumn("Memory", lambda node: node.memory_bytes, format_bytes),
    TextColumn("Architecture", lambda node: node.architecture),
    TextColumn("Kernel", lambda node: node.kernel),
    TextColumn("OS image", lambda node: node.os_image),
    TextColumn("Container runtime", lambda node: node.container_runtime),
    TextColumn("Kubelet", lambda node: node.kubelet_version),
)
_POD_COLUMNS = (NameColumn("Pod", itemgetter(0)), TextColumn("Node", itemgetter(1)))
_IMAGE_COLUMNS = (
    NameColumn("Component", itemgetter(0)),
    TextColumn("Kind", itemgetter(1)),
    TextColumn("Version or image", itemgetter(2)),
)
_SEED_COLUMNS = (NameColumn("Field", itemgetter(0)), NumberColumn("Seed", itemgetter(1)))


def environment_tables(
    environment: Environment | None, documents: Sequence[StepRunResult]
) -> list[Table]:
    """Return the tables that have rows; none where nothing was recorded."""
    if environment is None:
        return []
    versions = {"Solr": environment.solr_version, "JVM": environment.jvm_version}
    images = [
        *((name, "version", text) for name, text in versions.items() if text),
        *((component, "image", image) for component, image in environment.images.items()),
    ]
    tables = [
        build_table("Kubernetes nodes", _NODE_COLUMNS, environment.nodes),
        build_table("Pods and their nodes", _POD_COLUMNS, _pods(environment, documents)),
        build_table("Versions and images", _IMAGE_COLUMNS, images),
        build_table("Seeds", _SEED_COLUMNS, sorted(environment.seeds.items())),
    ]
    return [table.without_empty_columns() for table in tables if table]


def _pods(environment: Environment, documents: Iterable[StepRunResult]) -> list[tuple[str, str]]:
    targets = [document.target.nodes for document in documents if document.target is not None]
    places = [*targets, *(attempt.pods for attempt in environment.attempts)]
    return sorted({pod for each in places for pod in each.items()})


_MAX_LINES = 3

NOT_CHECKED = "Not decided"
"""What lines on skipped checks begin with."""


def step_label(found: StepVerdict | StepResult | StepRunResult) -> str:
    """Return the label of step and variant."""
    return f"{found.step} ({found.variant})" if found.variant else found.step


def verdict_of(result: StepResult, verdicts: Sequence[StepVerdict]) -> StepVerdict | None:
    """Return the verdict on the step and variant of a result; None if it has none."""
    return next((v for v in verdicts if (v.step, v.variant) == (result.step, result.variant)), None)


def reason_lines(word: str, verdicts: Sequence[StepVerdict]) -> list[str]:
    """Return a line for each reason why steps are this word: Invalid, or Inconclusive."""
    found = ((step, each) for step in steps_that_are(word, verdicts) for each in step.causes)
    return [f"{steps}: {word} ({reason}). {message}" for reason, message, steps in _by_step(found)]


def gap_lines(verdicts: Sequence[StepVerdict]) -> list[str]:
    """Return a line for each skipped check."""
    gaps = _by_step((step, gap) for step in verdicts for gap in step.unchecked)
    return [f"{NOT_CHECKED} for {steps} ({reason}): {text}" for reason, text, steps in gaps]


def verdict_lines(verdicts: Sequence[StepVerdict]) -> list[str]:
    """Return `reason_lines` of Invalid steps, then `gap_lines`."""
    return [*reason_lines(INVALID, verdicts), *gap_lines(verdicts)]


def _by_step(found: Iterable[tuple[StepVerdict, InvalidReason]]) -> list[tuple[str, str, str]]:
    """Return each reason and message once, with the steps that have them."""
    steps: dict[tuple[str, str], list[str]] = {}
    for step, each in found:
        steps.setdefault((each.reason, each.message), []).append(step_label(step))
    return [(reason, message, ", ".join(names)) for (reason, message), names in steps.items()]


def completion_note(verdicts: Sequence[StepVerdict]) -> str:
    """Return what the end of a benchmark says of its verdicts; empty if every step is Valid."""
    sentence = one_line_verdict(verdicts)
    if sentence in ("", VALID):
        return ""
    worst = steps_that_are(overall_verdict(verdicts), verdicts)
    reasons = [f"{each.reason}: {each.message}" for step in worst for each in step.causes]
    return ". ".join([sentence, *reasons[:1]])


def one_line_verdict(verdicts: Sequence[StepVerdict]) -> str:
    """Return the verdict on a whole benchmark, with the steps that have it unless it is Valid."""
    worst = overall_verdict(verdicts)
    if worst in ("", VALID):
        return worst
    steps = steps_that_are(worst, verdicts)
    names = ", ".join(step_label(step) for step in steps[:_MAX_LINES])
    more = f" and {len(steps) - _MAX_LINES} more" if len(steps) > _MAX_LINES else ""
    are = "is" if len(steps) == 1 else "are"
    what = "results" if any(each.variant for each in verdicts) else "steps"
    return f"{len(steps)} of {len(verdicts)} {what} {are} {worst}: {names}{more}"
