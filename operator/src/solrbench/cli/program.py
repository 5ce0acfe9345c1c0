"""The name that the program was called by."""

import sys
from pathlib import Path


def examples(*lines: str) -> str:
    """Return the end of a command's help text: calls of it, one a line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def program_name() -> str:
    """Return what to type for this program: as a plugin of kubectl, or by its name."""
    return "kubectl solrbench" if Path(sys.argv[0]).stem == "kubectl-solrbench" else "solrbench"
