"""Print what a reader of the first tutorial types: python3 -m hack.fresh.commands.

The pages are the source: the blocks of "Before you begin" for readers without Docker, then those
of the tutorial. Before each block the seconds since SOLRBENCH_STARTED are printed. It needs `tests`
on the path, and nothing that is not in Python.
"""

from support.shell_blocks import TUTORIALS, blocks_of

_CLOCK = 'printf "[%4ds] {page}, line {line}\\n" "$((EPOCHSECONDS - SOLRBENCH_STARTED))"'
_CHOICE = "export CLUSTER=kind\n"


def script() -> str:
    """Return all commands as one script that ends at the first failure."""
    parts = ["set -euo pipefail"]
    for page in TUTORIALS:
        if page.stem in {"README", "first-benchmark"}:
            for block in (each for each in blocks_of(page) if each.is_shell):
                clock = _CLOCK.format(page=page.stem, line=block.line)
                parts += [clock, block.text.replace(_CHOICE, "")]
    parts.append(_CLOCK.format(page="the end of the tutorial", line=0).replace(", line 0", ""))
    return "\n".join(parts)


if __name__ == "__main__":
    print(script())
