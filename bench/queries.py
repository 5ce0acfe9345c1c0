"""Ten million queries in a file: the memory of a worker that has them all."""

import json
import subprocess
import sys
import time
from pathlib import Path

from bench.day import MIB, peak_bytes
from bench.table import Row
from solrbench.load.workload.query_file import FileQueries

_BAR = 300


def queries(folder: Path, count: int) -> list[Row]:
    """Return the row of a worker that reads, checks and takes queries of a file."""
    path = folder / "queries.txt"
    with path.open("w") as lines:
        lines.writelines(f"q=title:word{each}&fq=year:{each % 50}\n" for each in range(count))
    command = [sys.executable, "-m", "bench.queries", str(path)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    path.unlink()
    peak = found["peak"] / MIB
    detail = f"{found['queries']:,} queries checked in {found['seconds']:.0f} CPU-seconds"
    return [Row("worker with the file", f"<= {_BAR} MiB", f"{peak:.0f} MiB", peak <= _BAR, detail)]


def _read(path: Path) -> dict[str, float]:
    began = time.process_time()
    found = FileQueries(path)
    count = sum(1 for _ in found)
    taken = [found[each] for each in range(0, count, max(count // 100_000, 1))]
    return {
        "peak": peak_bytes(),
        "queries": count,
        "taken": len(taken),
        "seconds": time.process_time() - began,
    }


if __name__ == "__main__":
    print(json.dumps(_read(Path(sys.argv[1]))))
