"""The start of the program: `solrbench`, `kubectl solrbench` and `python -m solrbench.cli`."""

import io
import os
import sys

from solrbench.cli.program import program_name

_INTERRUPTED = 130
"""`ExitCode.INTERRUPTED`, before anything is imported that defines it."""


def start() -> None:
    """Run the program under the name that it was called by.

    Ctrl-C while modules are still imported ends it without a traceback, as later on.
    """
    try:
        from solrbench.cli.main import main  # noqa: PLC0415  so that Ctrl-C is caught meanwhile

        prepare_output()
        main(prog_name=program_name())
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def prepare_output() -> None:
    """Let any text be written: files and pipes get UTF-8, a terminal `?` for what it lacks.

    Windows gives files and pipes the code page of the system, which has no Δ and no →.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_chosen = stream.isatty() or "PYTHONIOENCODING" in os.environ
            stream.reconfigure(encoding=None if is_chosen else "utf-8", errors="replace")


if __name__ == "__main__":
    start()
