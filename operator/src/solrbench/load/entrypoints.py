"""The commands of the load pods. Importing this module is harmless; running one patches."""

import logging
from pathlib import Path

from pydantic import ValidationError

from solrbench.contract.load_plan import LoadPlan
from solrbench.load.errors import LoadError, write_termination_message
from solrbench.load.settings import LoadSettings
from solrbench.reasons.load import LoadReason


def run_master(plan_file: Path, settings: LoadSettings | None = None) -> int:
    """Run the master of a plan and return its exit code.

    0: every result is acknowledged; 3: no attempt with this plan can succeed; 4: another attempt
    may; 143: stopped by SIGTERM. The process must be patched by gevent before anything else.
    """
    plan = _read_plan(plan_file)
    if isinstance(plan, LoadError):
        return _exit_with_error(plan)
    from solrbench.load.master import master  # noqa: PLC0415 - importing Locust patches the process

    return master.run_master(plan, settings or LoadSettings())


def run_worker(plan_file: Path, settings: LoadSettings | None = None) -> int:
    """Run a worker of a plan and return its exit code, as `run_master` does."""
    plan = _read_plan(plan_file)
    if isinstance(plan, LoadError):
        return _exit_with_error(plan)
    from solrbench.load.worker import worker  # noqa: PLC0415 - importing Locust patches the process

    return worker.run_worker(plan, settings or LoadSettings())


def _read_plan(file: Path) -> LoadPlan | LoadError:
    try:
        return LoadPlan.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        return LoadError(LoadReason.BAD_PLAN, f"cannot read {file}: {error}")


def _exit_with_error(failure: LoadError) -> int:
    logging.getLogger(__name__).error("%s", failure)
    write_termination_message(failure)
    return failure.exit_code
