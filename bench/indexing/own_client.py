"""The index command as its pod runs it: PLAN WARM_UP_PLAN FOLDER.

It indexes by the plan of the warm-up, says `ready`, waits for a line, indexes by the other, and
says `done`.
"""

import sys
from pathlib import Path

from bench.servers.running import free_port
from solrbench.index.command import IndexPodEnvironment, run_index


def main(plan: Path, warm_up: Path, folder: Path) -> int:
    """Index twice; return the exit code of the command, of the first time if it failed."""
    pod = IndexPodEnvironment(
        folder=folder, termination_log=folder / "progress", host="127.0.0.1", port=free_port()
    )
    if code := run_index(warm_up, 0, pod):
        return code
    print("ready", flush=True)
    sys.stdin.readline()
    code = run_index(plan, 0, pod)
    print("failed" if code else "done", flush=True)
    sys.stdin.readline()
    return code


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
