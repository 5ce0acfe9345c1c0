"""Following, with a cluster that answers from a list: real ones are in the end-to-end suite."""

import io
from typing import Any

import pytest
from rich.console import Console

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli import follow
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason
from support.benchmarks import small
from support.statuses import START, full_status

DONE = {
    "phase": "Succeeded",
    "conditions": [
        {
            "type": "Succeeded",
            "status": "True",
            "reason": "Succeeded",
            "message": "all is stored",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ],
}


class Answers:
    """Gives one answer after another."""

    def __init__(self, *answers: dict[str, Any] | Exception | None) -> None:
        self._answers = list(answers)

    def get(self, *_: str) -> dict[str, Any] | None:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solrbench.cli.follow.time.sleep", lambda _: None)


def body(**status: Any) -> dict[str, Any]:
    return small("one") | {"status": status}


def call(*answers: dict[str, Any] | Exception | None, timeout: float | None = None) -> int:
    return follow.follow(Answers(*answers), "default", "one", timeout)  # type: ignore[arg-type]


def test_success_is_0_and_the_phases_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    states = [body(phase="Provisioning"), body(phase="Measuring"), body(**DONE)]
    assert call(*states) == 0
    text = capsys.readouterr().out
    assert text.index("Provisioning") < text.index("Measuring") < text.index("Succeeded")


def test_failure_is_1() -> None:
    failed = {"phase": "Failed", "conditions": [DONE["conditions"][0] | {"status": "False"}]}  # type: ignore[operator]
    assert call(body(**failed)) == 1


@pytest.mark.parametrize(
    ("verdict", "require_valid", "code"),
    [("Invalid", True, 4), ("Invalid", False, 0), ("Valid", True, 0)],
)
def test_invalid_numbers_are_4_for_those_who_ask(
    verdict: str, require_valid: bool, code: int
) -> None:
    done = Answers(body(**DONE, summary={"verdict": verdict}))
    found = follow.follow(done, "default", "one", None, require_valid=require_valid)  # type: ignore[arg-type]
    assert found == code


def test_time_over_is_3() -> None:
    assert call(body(phase="Measuring"), timeout=0) == 3


def test_trouble_of_the_api_server_is_waited_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        call(TemporaryError(LifecycleReason.API_UNREACHABLE, "connection refused"), body(**DONE))
        == 0
    )
    assert "connection refused" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answers", "words"), [([None], "does not exist"), ([body(), None], "was deleted")]
)
def test_benchmark_that_is_not_there(answers: list[Any], words: str) -> None:
    with pytest.raises(PermanentError, match=words):
        call(*answers)


@pytest.mark.parametrize("width", [24, 40, 60, 72, 80, 100, 120, 200])
def test_no_width_of_the_live_view_cuts_a_number_or_a_unit(width: int) -> None:
    benchmark = SolrBenchmark.parse(small("one")).model_copy(update={"status": full_status()})
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(follow._view(benchmark, START, width))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    for quantity in ("70 %", "0:00", "20,000 documents", "1600 documents/s", "126 requests/s"):
        assert any(quantity in line for line in lines), quantity
