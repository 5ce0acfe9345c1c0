"""A status stays well below what the API server stores, whatever the spec admits."""

import pytest

from solrbench.api.v1alpha1 import Status
from solrbench.decide.status_size import MAX_STATUS_BYTES, fit_status
from support.results.largest_status import largest_status
from support.results.statuses import full_status


@pytest.fixture(scope="module")
def largest() -> Status:
    return largest_status()


@pytest.fixture(scope="module")
def fitted(largest: Status) -> Status:
    return fit_status(largest)


def size(status: Status) -> int:
    return len(status.model_dump_json(by_alias=True, exclude_none=True).encode())


def test_the_largest_status_has_all_lists(largest: Status) -> None:
    assert [name for name, value in largest if value == []] == []
    assert size(largest) > 1 << 20


def test_the_largest_status_is_half_of_what_etcd_takes(fitted: Status) -> None:
    assert size(fitted) <= MAX_STATUS_BYTES
    assert MAX_STATUS_BYTES < (3 << 19) / 2


def test_what_people_read_first_stays(largest: Status, fitted: Status) -> None:
    for part in ("answers", "conditions", "totals", "objectives", "capacity", "comparison"):
        assert getattr(fitted, part) == getattr(largest, part), part
    assert [each.verdict for each in fitted.verdicts] == [each.verdict for each in largest.verdicts]
    assert "results: percentiles and intervals" in fitted.report.left_out


def test_usual_statuses_lose_nothing() -> None:
    status = full_status()
    assert fit_status(status) is status


def test_details_go_first_and_no_more_than_needed(largest: Status) -> None:
    found = fit_status(largest, size(largest) - 1)
    assert found.report.left_out == ["results: percentiles and intervals"]
    assert found.results[0].p95_milliseconds == largest.results[0].p95_milliseconds
    assert found.results[0].percentiles == []
    assert found.telemetry == largest.telemetry


def test_fitting_again_changes_nothing(fitted: Status) -> None:
    assert fit_status(fitted) == fitted
