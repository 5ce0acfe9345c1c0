"""A step that breaks off keeps what it measured up to then, with the time and the reason."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import small

NAME = "breaks-off"
STEP = "two-users"
DEADLINE_SECONDS = 40
"""For load pods, and what is measured of the step."""
ENDLESS = 10_000_000
"""Requests, which take hours: of a duration the deadline would be refused."""


@pytest.fixture(scope="module")
def status() -> Iterator[dict[str, Any]]:
    kube.apply(
        small(
            NAME,
            load={"steps": [{"name": STEP, "users": 2, "requests": ENDLESS}]},
            deadlines={"measuringSeconds": DEADLINE_SECONDS},
        )
    )
    yield kube.wait_for_end(NAME, 240)
    kube.delete(NAME)


def test_benchmark_fails_by_its_deadline(status: dict[str, Any]) -> None:
    assert status["phase"] == "Failed"
    assert kube.condition(NAME, "Succeeded")["reason"] == "DeadlineExceeded"


def test_status_has_what_was_measured_until_then(status: dict[str, Any]) -> None:
    (result,) = status["results"]
    assert result["step"] == STEP
    assert result["requests"] > 0
    assert result["requestsPerSecond"] > 0


def test_verdict_says_when_and_why(status: dict[str, Any]) -> None:
    (verdict,) = status["verdicts"]
    assert verdict["verdict"] == "Invalid"
    (reason,) = (each for each in verdict["reasons"] if each["reason"] == "EndedEarly")
    assert "DeadlineExceeded" in reason["message"]
    assert "The step was stopped at second" in reason["message"]
    assert status["answers"][0].startswith(f"Step {STEP}: The step was stopped at second")


def test_report_has_it_too(status: dict[str, Any]) -> None:
    text = kube.solrbench("report", NAME, "-o", "markdown")
    assert f"Step {STEP}: The step was stopped at second" in text
    assert "EndedEarly" in text
