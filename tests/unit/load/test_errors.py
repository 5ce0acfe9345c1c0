from pathlib import Path

import pytest

from solrbench.contract.load_plan import LoadState
from solrbench.load.errors import LoadError, write_termination_message
from solrbench.reasons.kinds import Reason
from solrbench.reasons.load import LoadReason
from solrbench.reasons.target import TargetReason


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        (LoadReason.NO_QUERIES, 3),
        (LoadReason.MALFORMED_QUERIES, 3),
        (LoadReason.BAD_PLAN, 3),
        (LoadReason.STOPPED_BY_USER, 3),
        (LoadReason.WORKER_LOST, 4),
        (TargetReason.TARGET_UNREACHABLE, 4),
    ],
)
def test_exit_code_depends_on_whether_another_attempt_can_help(reason: Reason, code: int) -> None:
    assert LoadError(reason, "why").exit_code == code


def test_termination_message_is_parsed_as_state(tmp_path: Path) -> None:
    log = tmp_path / "termination-log"
    log.touch()
    write_termination_message(LoadError(LoadReason.WORKER_LOST, "worker-1 was lost" * 999), log)
    # Kubernetes keeps the last bytes.
    words = LoadState.model_validate_json(log.read_bytes()[-4096:])
    assert (words.stage, words.reason) == ("Failed", "WorkerLost")
    assert (words.message or "").startswith("worker-1 was lost")


def test_outside_a_container_nothing_is_written(tmp_path: Path) -> None:
    write_termination_message(LoadError(LoadReason.WORKER_LOST, ""), tmp_path / "termination-log")
    assert list(tmp_path.iterdir()) == []
