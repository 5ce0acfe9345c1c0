"""The process of a load pod: `python -m solrbench.load master|worker --plan FILE`."""

from gevent import monkey

monkey.patch_all()  # before anything that keeps a name of the standard library is imported

import argparse  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from solrbench.load.entrypoints import run_master, run_worker  # noqa: E402
from solrbench.load.errors import EXIT_TERMINATED  # noqa: E402
from solrbench.load.settings import LoadSettings  # noqa: E402


def main(arguments: list[str]) -> int:
    """Run the role that the arguments name and return its exit code."""
    defaults = LoadSettings()
    parser = argparse.ArgumentParser(prog="solrbench load", description=__doc__)
    parser.add_argument("role", choices=("master", "worker"))
    parser.add_argument("--plan", type=Path, default=defaults.plan_file)
    parser.add_argument("--queries-folder", type=Path, default=defaults.queries_folder)
    parser.add_argument("--locustfile-folder", type=Path, default=defaults.locustfile_folder)
    parser.add_argument("--results-folder", type=Path, default=defaults.results_folder)
    parser.add_argument("--web-port", type=int, default=defaults.web_port)
    parser.add_argument("--locust-port", type=int, default=defaults.locust_port)
    parser.add_argument("--target-seconds", type=float, default=defaults.target_seconds)
    parser.add_argument(
        "--unacknowledged-seconds", type=float, default=defaults.unacknowledged_seconds
    )
    parser.add_argument("--worker-silent-seconds", type=int, default=defaults.worker_silent_seconds)
    options = parser.parse_args(arguments)
    settings = LoadSettings(
        queries_folder=options.queries_folder,
        locustfile_folder=options.locustfile_folder,
        results_folder=options.results_folder,
        web_port=options.web_port,
        locust_port=options.locust_port,
        unacknowledged_seconds=options.unacknowledged_seconds,
        target_seconds=options.target_seconds,
        worker_silent_seconds=options.worker_silent_seconds,
    )
    run = run_master if options.role == "master" else run_worker
    return run(options.plan, settings)


if __name__ == "__main__":
    # The first process of a container ignores signals until it has handlers.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(EXIT_TERMINATED))
    arguments, sys.argv[1:] = sys.argv[1:], []
    # Locust's page reads the arguments of the process and ends it if it does not know them.
    code = main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # The engine's thread and sockets that still hold messages would keep the interpreter waiting.
    os._exit(code)
