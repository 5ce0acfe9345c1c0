"""Ten million queries in a file: what a worker takes that has them all, in memory and CPU time."""

import json
import subprocess
import sys
import time
from pathlib import Path

from bench.harness.table import Row
from bench.load.long_step import MIB, peak_bytes
from solrbench.api.v1alpha1.workload import Workload
from solrbench.load.workload.name_table import RequestNameTable
from solrbench.load.workload.query_file import FileQueries
from solrbench.load.workload.requests import RequestBuilder, build_requests

_MAX_MIB = 300
_MAX_SECONDS = 120
_TAKEN = 100_000


def queries(folder: Path, count: int) -> list[Row]:
    """Return the rows of a worker that reads, checks and takes queries of a file."""
    path = folder / "queries.txt"
    with path.open("w") as lines:
        lines.writelines(f"q=title:word{each}&fq=year:{each % 50}\n" for each in range(count))
    command = [sys.executable, "-m", "bench.load.large_query_file", str(path)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    path.unlink()
    peak, seconds = found["peak"] / MIB, found["check_seconds"]
    size = f"{found['queries']:,} queries"
    each = f"{1e6 * seconds / count:.1f} us each; {found['take_us']:.1f} us to take one at random"
    return [
        Row(
            "worker with the file",
            f"<= {_MAX_MIB} MiB",
            f"{peak:.0f} MiB",
            peak <= _MAX_MIB,
            size,
        ),
        Row(
            "CPU time to read and check the file",
            f"<= {_MAX_SECONDS} s",
            f"{seconds:.0f} s",
            seconds <= _MAX_SECONDS,
            each,
        ),
    ]


def _read(path: Path) -> dict[str, float]:
    """Prepare the file as a worker does, and take some of its requests."""
    began = time.process_time()
    workload = Workload.model_validate({"queries": {"configMap": {"name": "queries"}}})
    builder = RequestBuilder(workload, workload.entries[0], RequestNameTable())
    requests = build_requests(builder, FileQueries(path), check_all=True)
    checked = time.process_time()
    places = range(0, len(requests), max(len(requests) // _TAKEN, 1))
    for place in places:
        requests[place]
    return {
        "peak": peak_bytes(),
        "queries": len(requests),
        "check_seconds": checked - began,
        "take_us": 1e6 * (time.process_time() - checked) / len(places),
    }


if __name__ == "__main__":
    print(json.dumps(_read(Path(sys.argv[1]))))
