"""`solrbench export`: everything about a run in one archive, to keep or to attach to an issue."""

import io
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import orjson
import yaml

from solrbench.api.identity import GROUP
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.logs import read_log, sources_of
from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, open_cluster
from solrbench.cli.report import read_any_report, read_report, write_report
from solrbench.cli.resources import get_resource, key_of, list_points
from solrbench.cli.validation import parse_stored
from solrbench.contract.names import LABEL_BENCHMARK
from solrbench.decide.evidence import MASK, MAX_LINE, mask, secret_names, secret_values
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.facts import read_diagnostics
from solrbench.kube.reader import Manifest
from solrbench.present.report import ReportDocument
from solrbench.present.window_tables import whole_note

LOG_LINES = 10_000
_MANAGED = (
    "creationTimestamp",
    "finalizers",
    "generation",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid",
)
"""What a cluster adds. With the owner of a point of a sweep, a copy would be deleted with it."""
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

Files = Iterator[tuple[str, str | bytes]]
"""Names in the archive, and texts, or bytes of recordings."""


@command("solrbench export quickstart", "solrbench export quickstart --to run.tar.gz")
@click.argument("name")
@click.option(
    "--to",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Archive to write (default: NAME-DATE.tar.gz).",
)
@cluster_options
def export(name: str, file: Path | None) -> None:
    """Pack everything about a run into one archive.

    The resource, a file to run it again, reports, events, logs of pods that are there, and what was
    kept of failures; of a sweep also the same of each point. Values of Secrets, and what looks like
    a credential, are masked.
    """
    cluster, namespace = open_cluster()
    body = get_resource(cluster, namespace, name)
    key = key_of(body)
    now = datetime.now(UTC)
    target = file or Path(f"{key.name}-{now:%Y%m%d-%H%M%S}.tar.gz")
    files = (collect_sweep if key.is_sweep else collect)(cluster, body)
    part, count = target.with_name(f"{target.name}.part"), 0
    try:
        with tarfile.open(part, "w:gz") as archive:
            for path, text in files:
                content = text if isinstance(text, bytes) else text.encode("utf-8")
                entry = tarfile.TarInfo(f"{key.name}/{path}")
                entry.size, entry.mtime, entry.mode = len(content), int(now.timestamp()), 0o644
                archive.addfile(entry, io.BytesIO(content))
                count += 1
        part.replace(target)  # only now: the archive of before was whole
    finally:
        part.unlink(missing_ok=True)
    click.echo(f"{target}: {count} files")


def collect(cluster: Cluster, body: Manifest) -> Files:
    """Yield each file of a benchmark's archive; what cannot be read is named in its place."""
    namespace, name = body["metadata"]["namespace"], body["metadata"]["name"]
    pods = cluster.list("v1", "Pod", namespace, {LABEL_BENCHMARK: name})
    benchmark = parse_stored(SolrBenchmark, body)
    values_of = cache(partial(_secret_values, cluster, namespace))
    yield from _resource_files(body)
    yield from _reports(cluster, benchmark)
    yield "events.txt", mask(_events(cluster, body, pods), ())
    for pod in pods:
        secrets = {each: values_of(each) for each in sorted(secret_names(pod))}
        unreadable = [each for each, values in secrets.items() if values is None]
        for source in sources_of(pod):
            if unreadable:
                text = (
                    f"(omitted: Secret {unreadable[0]} cannot be read, so its values cannot be"
                    " masked)\n"
                )
            else:
                log = read_log(cluster, namespace, source, LOG_LINES)
                text = mask(log, {value for values in secrets.values() for value in values or ()})
            yield f"logs/{source.pod}-{source.container}.txt", text
    for key, text in read_diagnostics(cluster, benchmark).items():
        yield f"evidence/{key}", text
    yield "versions.txt", _versions(cluster)


def _secret_values(cluster: Cluster, namespace: str, name: str) -> set[str] | None:
    """Return what must be in no log; None if it cannot be read."""
    try:
        return secret_values(cluster.get("v1", "Secret", namespace, name) or {})
    except SolrbenchError:
        return None


def collect_sweep(cluster: Cluster, body: Manifest) -> Files:
    """Yield each file of a sweep's archive, and those of its points."""
    yield from _resource_files(body)
    report = read_any_report(cluster, body)
    yield "report.json", _json(report)
    for file, form in (("report.md", "markdown"), ("points.csv", "csv")):
        yield file, mask(write_report(report, form), ())
    yield "events.txt", mask(_events(cluster, body, []), ())
    yield "versions.txt", _versions(cluster)
    for each in list_points(cluster, key_of(body)):
        for file, text in collect(cluster, each):
            # Those of the sweep are the same.
            if file != "versions.txt":
                yield f"points/{each['metadata']['name']}/{file}", text


def _reports(cluster: Cluster, benchmark: SolrBenchmark) -> Files:
    try:
        report = read_report(cluster, benchmark)
    except SolrbenchError as error:
        yield "report.txt", f"the results cannot be read: {error.message}\n"
        return
    yield "report.json", _json(report)
    if note := whole_note(report.steps):
        yield "whole.txt", f"{note}\n"
    for each in report.steps:
        for file in each.diagnostics:
            content = file.unpack()
            shown = mask(content.decode(errors="replace"), ()) if file.is_text else content
            yield f"diagnostics/{each.id}/{file.safe_name}", shown
    yield "report.md", mask(write_report(report, "markdown"), ())
    yield "results.csv", write_report(report, "csv")


def _resource_files(body: Manifest) -> Files:
    """Yield the resource as it is, and as a file that runs it again, apart from its sweep.

    Annotations of the operator name the target that a point shares; a copy has its own.
    """
    metadata = body["metadata"]
    # `kubectl apply` keeps the whole resource in an annotation, which would hold it twice.
    shown = _cleaned(metadata, (), ("annotations",), _LAST_APPLIED)
    kept = _cleaned(metadata, _MANAGED, ("labels", "annotations"), _LAST_APPLIED, f"{GROUP}/")
    again = {key: value for key, value in body.items() if key != "status"}
    for name, copy in (
        ("resource.yaml", body | {"metadata": shown}),
        ("again.yaml", again | {"metadata": kept}),
    ):
        yield name, yaml.safe_dump(_masked(copy), sort_keys=False, allow_unicode=True)


def _json(report: ReportDocument) -> bytes:
    masked = _masked(orjson.loads(report.to_json()))
    return orjson.dumps(masked, option=orjson.OPT_INDENT_2)


def _masked(part: Any, key: str = "") -> Any:
    """Return a part of a document without credentials; its form, such as `secret: {}`, stays.

    Lines longer than `MAX_LINE` are kept as they are: histograms, of which a part says nothing.
    """
    if isinstance(part, dict):
        return {name: _masked(each, name) for name, each in part.items()}
    if isinstance(part, list):
        return [_masked(each, key) for each in part]
    if not isinstance(part, str) or any(len(line) > MAX_LINE for line in part.splitlines()):
        return part
    if _is_secret(key):
        return MASK
    text = mask(part, ())
    return text if MASK in text else part  # also without a credential, it would be cleaned


@cache
def _is_secret(key: str) -> bool:
    return MASK in mask(f"{key}: value", ())


def _cleaned(
    metadata: Manifest, fields: tuple[str, ...], names: tuple[str, ...], *prefixes: str
) -> Manifest:
    """Return metadata without some fields, and without entries of `names` that begin so."""
    kept = {key: value for key, value in metadata.items() if key not in fields}
    for name in names:
        entries = (kept.pop(name, None) or {}).items()
        if rest := {key: value for key, value in entries if not key.startswith(prefixes)}:
            kept[name] = rest
    return kept


def _events(cluster: Cluster, body: Manifest, pods: list[Manifest]) -> str:
    lines: list[str] = []
    for each in [body, *[{"kind": "Pod", **pod} for pod in pods]]:
        metadata = each["metadata"]
        try:
            events = cluster.events(metadata["namespace"], each["kind"], metadata["name"])
        except SolrbenchError as error:
            return f"(events cannot be read: {error.message})\n"
        for event in events:
            about = event["involvedObject"]
            # Events of newer clients have `eventTime` alone.
            time = event.get("lastTimestamp") or event.get("eventTime") or ""
            lines.append(
                f"{time} {event.get('type', '')} {about.get('kind')}/{about.get('name')}"
                f" {event.get('reason', '')}: {event.get('message', '')}"
            )
    return "\n".join(sorted(lines)) + "\n"


def _versions(cluster: Cluster) -> str:
    kubernetes = (cluster.read("/version") or {}).get("gitVersion", "unknown")
    return f"solrbench {version('solrbench')}\nKubernetes {kubernetes}\n"
