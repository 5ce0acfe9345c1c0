"""The name that the program was called by, and what its exit codes mean."""

import sys
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Self, TypeVar

Command = TypeVar("Command", bound=Callable[..., object])
"""What a decorator of click takes and returns."""


def program_name() -> str:
    """Return what to type for this program: as a plugin of kubectl, or by its name."""
    return "kubectl solrbench" if Path(sys.argv[0]).stem == "kubectl-solrbench" else "solrbench"


class ExitCode(IntEnum):
    """Of every command, each with its meaning as a sentence of the documentation."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Return a member whose value is the number alone."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    SUCCEEDED = 0, "All went well; no objective is missed, though one may be Inconclusive."
    FAILED = (
        1,
        "A benchmark or its export failed, a file is not valid, or the cluster refused a request.",
    )
    # click's own code.
    USAGE = 2, "An option or argument is wrong."
    TIMED_OUT = 3, "`--timeout` is over and a benchmark, or its export, still runs."
    INVALID = 4, "A step is Invalid or Inconclusive, and `--require-valid` is given."
    MISSED = (
        5,
        (
            "An objective is missed, unless by a point of a sweep; of `compare`, a step has a"
            " conclusion of `--fail-on`."
        ),
    )
    UNREACHABLE = 6, "The cluster cannot be reached, or does not know the user."
    # As shells report a program that SIGINT has ended: 128 + 2.
    INTERRUPTED = 130, "Interrupted with Ctrl-C; benchmarks go on."


WORST_FIRST = (ExitCode.FAILED, ExitCode.TIMED_OUT, ExitCode.MISSED, ExitCode.INVALID)
"""Of several benchmarks, the code that counts."""
