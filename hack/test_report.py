#!/usr/bin/env python3
"""Print how long suites took, the slowest tests, and what tests measured: test_report.py FOLDER.

FOLDER holds a JUnit file for each suite (`<suite>.xml`, as `pytest --junitxml` writes it). The
budget of each suite is read from its row in CONTRIBUTING.md.
"""

import os
import re
import sys
import time
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree as ET

BUDGET = re.compile(
    r"^\| `make (?P<suite>[\w-]+)` \|.*\| (?P<minutes>[\d.]+) min \|$", re.MULTILINE
)
SLOWEST = 10


def main(folder: Path) -> None:
    """Print both tables."""
    guide = Path(__file__).parents[1] / "CONTRIBUTING.md"
    budgets = {suite: 60 * float(minutes) for suite, minutes in BUDGET.findall(guide.read_text())}
    took: dict[str, float] = {}
    reports: list[ET.Element] = []
    tests: dict[str, list[tuple[float, str]]] = {}
    for file in sorted(folder.glob("*.xml")):
        report = ET.parse(file).getroot()[0]
        reports.append(report)
        suite = file.stem.removesuffix("-alone")  # the part that runs with nothing beside it
        took[suite] = took.get(suite, 0) + float(report.get("time", 0))
        tests.setdefault(suite, []).extend(map(_test, report.iter("testcase")))
    print(f"\n{'suite':<14}{'tests':>7}{'took':>10}{'budget':>10}")
    for suite, seconds in took.items():
        budget = budgets.get(suite, 0)
        late = "  over its budget" if seconds > budget else ""
        print(f"{suite:<14}{len(tests[suite]):>7}{seconds:>8.0f} s{budget:>8.0f} s{late}")
    print(f"{'together':<14}{sum(map(len, tests.values())):>7}{sum(took.values()):>8.0f} s")
    print(f"\nThe {SLOWEST} slowest tests, with their fixtures:")
    for seconds, name in sorted(chain(*tests.values()), reverse=True)[:SLOWEST]:
        print(f"{seconds:>7.1f} s  {name[:69]}")
    measured = [p for s in reports for p in s.iter("property")]
    if measured:
        print("\nMeasured by tests:")
    for each in measured:
        print(f"{each.get('value'):>9}  {each.get('name')}")
    if began := os.environ.get("SOLRBENCH_STARTED"):
        print(f"\nmake test took {(time.time() - float(began)) / 60:.1f} min")


def _test(case: ET.Element) -> tuple[float, str]:
    name = f"{str(case.get('classname')).rpartition('.')[2]}::{case.get('name')}"
    return float(case.get("time", 0)), name


if __name__ == "__main__":
    main(Path(sys.argv[1]))
