"""Whether the bench misses a bar where the product has a fault, and misses none where it has not.

What checks a product must be checked as well: a bench whose truth comes from the product's own
code agrees with its faults (mutation testing; DeMillo, Lipton, Sayward, Hints on test data
selection, 1978). Each fault is planted in a copy of product and bench, in which a part of the bench
runs.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.faults.faults import FAULTS, Fault
from bench.faults.quick_parts import NOTICED
from bench.harness.table import Row

_PROJECT = Path(__file__).parents[2]
_SOURCES = Path("operator") / "src"
_MAX_SECONDS = 300


class FaultNotPlantedError(Exception):
    """The line that a fault changes is not there once."""


def faults(folder: Path, planted: Sequence[Fault] = FAULTS) -> list[Row]:
    """Plant one fault after another; before that, run each part without any."""
    parts = sorted({each.part for each in planted})
    copy = _copy(folder / "none")
    return [
        *(_healthy_row(part, copy) for part in parts),
        *(
            _fault_row(fault, _plant(fault, _copy(folder / str(number))))
            for number, fault in enumerate(planted)
        ),
    ]


def plant(fault: Fault, sources: Path) -> None:
    """Change the line of a fault in the sources of a copy.

    Raises:
        FaultNotPlantedError: the line is not there, or more than once.
    """
    file = sources / "solrbench" / fault.file
    text = file.read_text("utf-8")
    if text.count(fault.right) != 1:
        raise FaultNotPlantedError(f"{fault.name}: {fault.file} has {fault.right!r} not once")
    file.write_text(text.replace(fault.right, fault.wrong), "utf-8")


def _copy(folder: Path) -> Path:
    for name in (_SOURCES, Path("bench")):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(_PROJECT / name, folder / name, ignore=ignored)
    return folder


def _plant(fault: Fault, copy: Path) -> Path:
    plant(fault, copy / _SOURCES)
    return copy


def _healthy_row(part: str, copy: Path) -> Row:
    code, output = _run(part, copy)
    return Row(f"no fault, {part}", "no bar missed", _conclusion(code), code == 0, output)


def _fault_row(fault: Fault, copy: Path) -> Row:
    code, output = _run(fault.part, copy)
    shutil.rmtree(copy)
    return Row(f"fault: {fault.name}", "noticed", _conclusion(code), code == NOTICED, output)


def _conclusion(code: int) -> str:
    return {0: "no bar missed", NOTICED: "noticed"}.get(code, f"ended with {code}")


def _run(part: str, copy: Path) -> tuple[int, str]:
    """Return the exit code of a part in a copy, and the first bar that it missed, or its error."""
    print(f"  {part} in {copy.name}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "bench.faults.quick_parts", part],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": f"{_SOURCES}:."},
        capture_output=True,
        text=True,
        timeout=_MAX_SECONDS,
        check=False,
    )
    if done.returncode not in (0, NOTICED):
        return done.returncode, "".join(done.stderr.splitlines()[-1:])
    missed = done.stdout.splitlines()
    more = f" and {len(missed) - 1} more" if missed[1:] else ""
    return done.returncode, "".join(missed[:1]) + more
