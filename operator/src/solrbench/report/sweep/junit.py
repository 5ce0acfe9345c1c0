"""The points of a sweep as test cases of JUnit XML: one case for each point.

A point that failed is an error; one that is Invalid or misses an objective is a failure; one that
is planned or runs is skipped.
"""

from collections.abc import Iterator

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from solrbench.api.v1alpha1.status.objectives import ObjectiveWord
from solrbench.report.junit import plain_text
from solrbench.report.sweep.model import PointReport, SweepReport
from solrbench.report.sweep.tables import best_facts, facts
from solrbench.sweep.states import FINAL, PointState


def sweep_to_junit(report: SweepReport) -> str:
    """Return the XML of one sweep, finished or not."""
    suite = TestSuite(report.sweep)
    if report.status.start_time is not None:
        suite.timestamp = report.status.start_time.isoformat()
    for name, text in (facts(report) | best_facts(report)).items():
        suite.add_property(name, plain_text(text))
    suite.add_testcases([_case(report, each) for each in report.points])
    xml = JUnitXml("solrbench")
    xml.add_testsuite(suite)
    xml.update_statistics()
    written: bytes = xml.tostring()
    return written.decode()


def _case(report: SweepReport, point: PointReport) -> TestCase:
    values = ", ".join(f"{axis} {value}" for axis, value in point.values.items())
    case = TestCase(plain_text(values or point.name), classname=report.sweep)
    state = point.result.state
    if state == PointState.FAILED:
        case.result = [Error(plain_text(point.outcome), point.result.reason or "Failed")]
    elif state not in FINAL:
        case.result = [Skipped(f"the point is {state}")]
    elif problems := list(_problems(point)):
        failure = Failure(plain_text(problems[0]), state)
        failure.text = plain_text("\n".join(problems))
        case.result = [failure]
    return case


def _problems(point: PointReport) -> Iterator[str]:
    for part in point.benchmarks:
        for verdict in part.verdicts:
            for each in verdict.reasons:
                yield f"{each.reason}: {each.message}"
        for objective in part.objectives:
            if objective.word is ObjectiveWord.MISSED:
                yield objective.message
    if point.result.state == PointState.INVALID and not any(p.verdicts for p in point.benchmarks):
        yield "a step is Invalid"
