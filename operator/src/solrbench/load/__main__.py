"""The process of a load pod: `python -m solrbench.load master|worker --plan FILE`."""

from gevent import monkey

# Before anything that keeps a name of the standard library is imported: a queue or lock of a native
# thread would hold up every greenlet beside the one that waits for it.
monkey.patch_all()

import argparse  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from solrbench.load.entrypoints import run_role  # noqa: E402
from solrbench.load.errors import EXIT_TERMINATED  # noqa: E402
from solrbench.load.settings import LoadSettings  # noqa: E402


def main(arguments: list[str]) -> int:
    """Run the role that the arguments name and return its exit code."""
    parser = argparse.ArgumentParser(prog="solrbench load", description=__doc__)
    parser.add_argument("role", choices=("master", "worker"))
    for name, default in vars(LoadSettings()).items():
        flag = "plan" if name == "plan_file" else name
        option = f"--{flag.replace('_', '-')}"
        kind = Path if isinstance(default, Path) else type(default)
        parser.add_argument(option, dest=name, type=kind, default=default, metavar=flag.upper())
    options = vars(parser.parse_args(arguments))
    role = options.pop("role")
    return run_role(role, options["plan_file"], LoadSettings(**options))


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
