"""The commands of the load pods. Importing this module is harmless; running one patches."""

import logging
from pathlib import Path

from pydantic import ValidationError

from solrbench.contract.load_plan import LoadPlan
from solrbench.load.errors import LoadError, write_termination_message
from solrbench.load.settings import LoadSettings
from solrbench.reasons.load import LoadReason


def run_role(role: str, plan_file: Path, settings: LoadSettings) -> int:
    """Run the `master` or a `worker` of a plan and return its exit code.

    0: every result is acknowledged; 3: no attempt with this plan can succeed; 4: another attempt
    may; 143: stopped by SIGTERM. The process must be patched by gevent before anything else.
    """
    try:
        plan = LoadPlan.model_validate_json(plan_file.read_bytes())
    except (OSError, ValidationError) as error:
        failure = LoadError(LoadReason.BAD_PLAN, f"cannot read {plan_file}: {error}")
    else:
        # Only here: importing Locust patches the process.
        if role == "master":
            from solrbench.load.master.master import run_master  # noqa: PLC0415

            return run_master(plan, settings)
        from solrbench.load.worker.worker import run_worker  # noqa: PLC0415

        return run_worker(plan, settings)
    logging.getLogger(__name__).error("%s", failure)
    write_termination_message(failure)
    return failure.exit_code
