from datetime import timedelta
from typing import Any

from solrbench.analysis.cold_start import is_warm
from solrbench.api.v1alpha1.conditions import Attempts
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import CacheSample, OutlierWindow, RequestWindow
from solrbench.present.markdown import windows_to_markdown
from support.results.builders import START, make_document
from support.results.full_benchmark import COLD_START
from support.results.reports import make_report


def thousand(index: int, seconds: float, requests: int = 1000) -> RequestWindow:
    return RequestWindow(
        requests=requests,
        failures=index,
        end_seconds=index * seconds,
        seconds=seconds,
        mean_microseconds=4200,
        max_microseconds=1_500_000,
    )


def outlier(second: int, deviations: float | None) -> OutlierWindow:
    return OutlierWindow(
        second=second,
        time=START + timedelta(seconds=second),
        requests=0 if deviations is None else 70,
        mean_microseconds=None if deviations is None else 30_000,
        median_microseconds=4000,
        deviations=deviations,
    )


def document(repeat: int = 1, **fields: Any) -> StepRunResult:
    return make_document("five", repeat, **{"outlier_windows": 0, **fields})


def lines(*documents: StepRunResult) -> list[str]:
    return "\n\n".join(windows_to_markdown(documents, is_new=True)).splitlines()


def test_nothing_is_said_of_documents_without_windows() -> None:
    assert windows_to_markdown([], is_new=True) == []
    assert windows_to_markdown([make_document("five", 1)], is_new=True) == []


def test_step_runs_show_when_they_became_steady() -> None:
    shown = lines(
        document(1, steady_from_second=12, warm_up_requests=9000, warm_up_steady=True),
        document(2, warm_up_requests=500, warm_up_steady=False, outlier_windows=3),
        document(3, warm_up_requests=7),
    )
    assert "| r1-s0-five | 2026-01-02 03:04:05 | 9000 requests, steady | 12 s | 0 |" in shown
    assert "| r2-s0-five | 2026-01-02 03:04:05 | 500 requests, never steady |  | 3 |" in shown
    assert "| r3-s0-five | 2026-01-02 03:04:05 | 7 requests |  | 0 |" in shown


def test_curve_has_bars_as_long_as_the_time_and_ratios() -> None:
    caches = [
        CacheSample(second=second, cache="filterCache", lookups=100 * index, hits=25 * index)
        for index, second in enumerate((0.0, 2.0, 9.0))
    ]
    shown = lines(
        document(
            warm_up_thousands=[thousand(1, 2.0)],
            warm_up_caches=caches,
            thousands=[thousand(1, 0.5), thousand(2, 0.25, 500)],
        )
    )
    head = "| Thousand | Part | Time | Mean | Max | Failures | filterCache | Time per 1000 |"
    assert head in shown
    assert f"| 1 | warm-up | 2 s | 4.2 ms | 1.5 s | 1 | 25 % | {'█' * 20} 2 s |" in shown
    assert f"| 2 | step | 500 ms | 4.2 ms | 1.5 s | 1 |  | {'█' * 5} 500 ms |" in shown
    # A window that was cut short is shown as if it had been whole, in the last column.
    assert f"| 3 | step | 250 ms | 4.2 ms | 1.5 s | 2 |  | {'█' * 5} 500 ms |" in shown


def test_long_curves_are_thinned_behind_the_beginning() -> None:
    many = [thousand(index, 0.5) for index in range(1, 1031)]
    shown = lines(document(thousands=many))
    numbers = [int(line.split(" | ")[0].strip("| ")) for line in shown if "| step |" in line]
    assert numbers == [*range(1, 31), *range(80, 1031, 50)]


def test_outliers_stand_with_their_time() -> None:
    shown = lines(
        document(1, outliers=[outlier(5, 12.3), outlier(7, None)], outlier_windows=2),
        document(2, outliers=[outlier(65, -6.0)], outlier_windows=1),
    )
    assert "| r1-s0-five | 2026-01-02 03:04:10 | 5 | 70 | 30 ms | 4 ms | 12.3 |" in shown
    assert "| r1-s0-five | 2026-01-02 03:04:12 | 7 | 0 | no responses | 4 ms |  |" in shown
    assert "| r2-s0-five | 2026-01-02 03:05:10 | 65 | 70 | 30 ms | 4 ms | -6 |" in shown
    assert any(line.startswith("3 of 3 outliers: seconds") for line in shown)


def test_of_many_outliers_the_farthest_are_shown() -> None:
    many = [outlier(second, float(second)) for second in range(1, 51)]
    shown = lines(*(document(n, outliers=many, outlier_windows=80) for n in (1, 2)))
    seconds = [int(line.split(" | ")[2]) for line in shown if "| 30 ms |" in line]
    assert len(seconds) == 50
    assert min(seconds) == 26
    assert any(line.startswith("50 of 160 outliers: seconds") for line in shown)


def test_a_target_that_was_used_before_has_no_cold_start() -> None:
    documents = make_report().steps
    cold, warm = ("\n".join(windows_to_markdown(documents, is_new=new)) for new in (True, False))
    again = [each.model_copy(update={"attempt": 2}) for each in documents]
    assert [is_warm(Status(), each) for each in (documents, again, [])] == [False, True, False]
    # Of the target before, it was said while that was there.
    later = Status(attempts=Attempts(target=2, load=3, first_load_on_target=3))
    said = later.model_copy(update={"cold_start": COLD_START})
    assert [is_warm(each, again) for each in (later, said)] == [True, False]
    assert "## Cold start" in cold
    assert "## Cold start" not in warm
    assert "## Steadiness" in warm
