"""The report of a sweep, read from the cluster."""

from collections.abc import Mapping
from functools import lru_cache, partial

from solrbench.analysis.answers import ComparedAnswers, compare_answers
from solrbench.analysis.cold_start import average_stretches, cold_start
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.cli.resources import key_of, list_points
from solrbench.cli.validation import parse_stored
from solrbench.contract.step_runs import FIRST_REPEAT, all_step_runs
from solrbench.kube.client import Cluster
from solrbench.kube.reader import Manifest
from solrbench.kube.result_documents import read_answers, read_environment, read_undamaged
from solrbench.present.sweeps.figures import cold_start_points
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.sweeps.results import build_sweep_report, environment_point
from solrbench.sweep.points import benchmark_name


def read_sweep_report(
    cluster: Cluster, body: Manifest, *, with_cold_starts: bool = True
) -> SweepReport:
    """Return the full report of a sweep, as far as it is measured.

    Without cold starts, whose curves only pages show, no stored step run is read for them.
    """
    sweep = parse_stored(SolrBenchmarkSweep, body)
    stored = (parse_stored(SolrBenchmark, each) for each in list_points(cluster, key_of(body)))
    benchmarks = {each.metadata.name: each for each in stored}
    # All points run in one cluster: the first that was measured stands for the others.
    point = environment_point(sweep)
    benchmark = benchmarks.get(benchmark_name(sweep.metadata.name, point or ""))
    environment = None if benchmark is None else read_environment(cluster, benchmark)
    known = None if environment is None or point is None else (point, environment)
    report = build_sweep_report(sweep, benchmarks, known)
    if with_cold_starts:
        points = _read_cold_starts(cluster, report, benchmarks)
        report = report.model_copy(update={"points": points})
    return report.model_copy(update={"answers": _read_answers(cluster, report)})


def _read_cold_starts(
    cluster: Cluster, report: SweepReport, benchmarks: Mapping[str, SolrBenchmark]
) -> list[PointReport]:
    """Return the points, those whose cold starts are drawn with the mean times of their begin."""
    drawn = {each.name for _, points in cold_start_points(report) for each in points}
    means = {
        each.name: _read_cold_start(cluster, benchmarks[each.cold_benchmark])
        for each in report.points
        if each.name in drawn and each.cold_benchmark in benchmarks
    }
    field = "cold_start_average_milliseconds"
    return [each.model_copy(update={field: means.get(each.name, [])}) for each in report.points]


def _read_cold_start(cluster: Cluster, benchmark: SolrBenchmark) -> list[float]:
    """Return mean service times from the first request on; none where they are not stored."""
    cold = benchmark.status.cold_start
    step = None if cold is None else (cold.step, cold.variant or "")
    for each in all_step_runs(benchmark.spec, FIRST_REPEAT):
        if (each.step, each.variant) == step:
            documents = read_undamaged(cluster, benchmark, str(each))
            return average_stretches(cold_start(documents[0])) if documents else []
    # A trial of a search for the capacity is no step.
    return []


def _read_answers(cluster: Cluster, report: SweepReport) -> list[ComparedAnswers]:
    """Return the comparisons of the status with their examples, from the stored answers."""
    namespace, _, _ = report.sweep.partition("/")
    stored = {each.candidate: each.baseline for each in report.status.answer_comparisons}
    if not stored or report.baseline is None:
        return []
    labels, usual = report.labels, report.baseline.benchmark

    read = partial(read_answers, cluster, namespace)
    read_base = lru_cache(maxsize=1)(read)  # most points have the same one

    def compare(label: str) -> ComparedAnswers:
        before = read_base(labels.get(stored[label], usual))
        return compare_answers(before, read(labels[label]), stored[label], label)

    return [compare(label) for label in labels if label in stored]
