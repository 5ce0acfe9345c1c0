"""Print the points of a study as the table of its page in docs/studies.

    kubectl get sbench -l solrbench.io/sweep=packages -o json | python3 recorded_run.py -

Each line is a step of a benchmark over all its repeats: requests per second, mean and p95 in
milliseconds, failures, and time per 1,000 queries of a user. Below it are the gaps between the
points: from the end of one to the begin of the next one.
"""

import itertools
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

Body = dict[str, Any]
HEAD = (
    "Point",
    "Step",
    "Requests/s",
    "Mean, ms",
    "p95, ms",
    "Failed, %",
    "Per 1,000, s",
    "Verdict",
)


def main(arguments: list[str]) -> None:
    """Print the table of a list of benchmarks, or of one."""
    (name,) = arguments
    body = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text())
    benchmarks = sorted(body.get("items", [body]), key=_started)
    lines = [_row(HEAD), _row(["---"] * len(HEAD))]
    lines += [_row(cells) for each in benchmarks for cells in _steps(each)]
    sys.stdout.write("\n".join([*lines, "", *_gaps(benchmarks), ""]))


def _row(cells: Any) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _started(benchmark: Body) -> str:
    return str(benchmark.get("status", {}).get("startTime", ""))


def _values(benchmark: Body) -> str:
    metadata = benchmark["metadata"]
    found = metadata.get("annotations", {}).get("solrbench.io/values", metadata["name"])
    return str(found)


def _steps(benchmark: Body) -> Iterator[list[object]]:
    status = benchmark.get("status", {})
    verdicts = {each.get("step"): each.get("verdict", "") for each in status.get("verdicts", [])}
    for each in status.get("totals", []):
        step = " ".join(filter(None, (each.get("variant"), each.get("step"))))
        figures = (
            "requestsPerSecond",
            "averageMilliseconds",
            "p95Milliseconds",
            "failedPercent",
            "secondsPerThousandRequests",
        )
        numbers = [_short(each.get(figure)) for figure in figures]
        yield [_values(benchmark), step, *numbers, verdicts.get(each.get("step"), "")]


def _short(number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.0f}" if number >= 1000 else f"{number:.4g}"


def _gaps(benchmarks: list[Body]) -> Iterator[str]:
    for before, after in itertools.pairwise(benchmarks):
        ended = before.get("status", {}).get("completionTime")
        began = _started(after)
        if ended and began:
            seconds = (datetime.fromisoformat(began) - datetime.fromisoformat(ended)).seconds
            reuses = after["status"].get("target", {}).get("reuses", "a fresh target")
            yield f"{_values(after)}: begun {seconds} s after the one before, on {reuses}"


if __name__ == "__main__":
    main(sys.argv[1:])
