"""What `solrbench compare` is given: benchmarks and sweeps of the cluster, reports in files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from solrbench.api.identity import KIND, SWEEP_KIND
from solrbench.cli.errors import CommandError
from solrbench.cli.files import parse_stored
from solrbench.cli.options import open_cluster
from solrbench.cli.resources import find_resource, suggest_name
from solrbench.cluster.result_documents import sorted_documents
from solrbench.report.model import ReportFormatError
from solrbench.report.sweep.model import SweepReport
from solrbench.results.comparison.side import (
    Side,
    UnreadableReportError,
    benchmark_side,
    parse_report,
    side_of,
)

_REPORT_FILES = ("report.json", "report.json.gz")
"""Files of a folder that are looked for, the first one that is there."""


def read_side(text: str, context: str | None, namespace: str | None) -> Side | SweepReport:
    """Return a benchmark as one side, or the report of a sweep.

    Args:
        text: file, folder, or name of a benchmark or sweep
        context: of the kubeconfig; the present one when None
        namespace: where a name is looked for; that of the context when None

    Raises:
        CommandError: if it is none of these.

    """
    path = Path(text)
    if not path.exists():
        return _from_cluster(text, context, namespace)
    try:
        file = _report_in(path) if path.is_dir() else path
        return _from_report(_name(path), parse_report(file.read_bytes()))
    except (UnreadableReportError, ReportFormatError, OSError) as error:
        raise CommandError(f"{text}: {error}") from error


def _from_report(name: str, report: Mapping[str, Any]) -> Side | SweepReport:
    if "sweep" not in report:
        return side_of(name, report)
    return SweepReport.of(report).model_copy(update={"sweep": name})


def _report_in(folder: Path) -> Path:
    found = [folder / name for name in _REPORT_FILES if (folder / name).is_file()]
    if not found:
        raise CommandError(f"{folder}: there is no {' or '.join(_REPORT_FILES)} in it")
    return found[0]


def _name(path: Path) -> str:
    name = path.resolve().name
    return name.removesuffix(".gz").removesuffix(".json")


def _from_cluster(text: str, context: str | None, namespace: str | None) -> Side | SweepReport:
    cluster, place = open_cluster(context, namespace)
    found = find_resource(cluster, place, text)
    if found is None:
        raise CommandError(
            f"{text} is neither a file or folder nor a {KIND} or {SWEEP_KIND} in namespace"
            f" {place}; {suggest_name(cluster, place, text)}"
        )
    if found.is_sweep:
        from solrbench.cli.sweep_report import read_sweep_report  # noqa: PLC0415  slow to import

        report = read_sweep_report(cluster, found.body)
        return report.model_copy(update={"sweep": found.name})
    benchmark = parse_stored(found.body)
    return benchmark_side(found.name, benchmark, sorted_documents(cluster, benchmark))
