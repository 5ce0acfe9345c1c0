"""The process of a load pod: `python -m solrbench.load master|worker --plan FILE`."""

from gevent import monkey

# Before anything that keeps a name of the standard library is imported: a queue or lock of a native
# thread would hold up every greenlet beside the one that waits for it.
monkey.patch_all()

import argparse  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from pydantic import ValidationError  # noqa: E402

from solrbench.contract.load_plan import LoadPlan  # noqa: E402
from solrbench.contract.pod_plans import EXIT_TERMINATED  # noqa: E402
from solrbench.load.errors import LoadError, write_termination_message  # noqa: E402
from solrbench.load.settings import LoadSettings  # noqa: E402
from solrbench.reasons.load import LoadReason  # noqa: E402


def main(arguments: list[str]) -> int:
    """Run the `master` or a `worker` of a plan, as the arguments say, and return its exit code.

    0: every result is acknowledged; 3: no attempt with this plan can succeed; 4: another attempt
    may; 143: stopped by SIGTERM.
    """
    parser = argparse.ArgumentParser(prog="solrbench load", description=__doc__)
    parser.add_argument("role", choices=("master", "worker"))
    for name, default in vars(LoadSettings()).items():
        flag = "plan" if name == "plan_file" else name
        option = f"--{flag.replace('_', '-')}"
        kind = Path if isinstance(default, Path) else type(default)
        parser.add_argument(option, dest=name, type=kind, default=default, metavar=flag.upper())
    options = vars(parser.parse_args(arguments))
    role, settings = options.pop("role"), LoadSettings(**options)
    try:
        plan = LoadPlan.parse_admitted(settings.plan_file.read_bytes())
    except (OSError, ValidationError) as error:
        failure = LoadError(LoadReason.BAD_PLAN, f"cannot read {settings.plan_file}: {error}")
        logging.getLogger(__name__).error("%s", failure)  # noqa: TRY400 - it says what is wrong
        write_termination_message(failure)
        return failure.exit_code
    # Only the one that runs, as the other takes memory.
    if role == "master":
        from solrbench.load.master.master import run_master  # noqa: PLC0415

        return run_master(plan, settings)
    from solrbench.load.worker.worker import run_worker  # noqa: PLC0415

    return run_worker(plan, settings)


if __name__ == "__main__":
    # The first process of a container ignores signals until it has handlers.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(EXIT_TERMINATED))
    # Locust's page reads the arguments of the process and ends it if it does not know them.
    arguments, sys.argv[1:] = sys.argv[1:], []
    code = main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # The engine's thread and sockets that still hold messages would keep the interpreter waiting.
    os._exit(code)
