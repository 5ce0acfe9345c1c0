"""Objectives, verdicts and points of a sweep as test cases of JUnit XML, which CI servers show.

A benchmark is one suite: a case for its end, one for each objective, and one for each step and
variant. An objective that is Missed and a step that is Invalid are failed cases, a benchmark that
failed is one with an error; one that runs, and an objective that is Inconclusive, are skipped.

A sweep has a case for each point: one that failed is an error, one that is Invalid or misses an
objective is a failure. One that is planned or runs, is Inconclusive or has an objective that is so,
is skipped.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.findings import INCONCLUSIVE, InvalidReason, ObjectiveConclusion
from solrbench.present.fact_tables import NOT_CHECKED, facts, outcome_facts, step_label
from solrbench.present.sweeps.point_tables import name_point
from solrbench.present.sweeps.report import Findings, PointReport, SweepReport
from solrbench.present.sweeps.tables import best_facts, sweep_facts
from solrbench.sweep.state import FINAL, PointState

_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def to_junit(benchmark: SolrBenchmark) -> str:
    """Return the XML of one benchmark, finished or not."""
    cases = [_end(benchmark), *_objectives(benchmark), *_verdicts(benchmark)]
    return _xml(benchmark.key, benchmark.status.start_time, facts(benchmark), cases)


def sweep_to_junit(report: SweepReport) -> str:
    """Return the XML of one sweep, finished or not."""
    cases = [_case(report, point) for point in report.points]
    named = sweep_facts(report) | best_facts(report)
    return _xml(report.sweep, report.status.start_time, named, cases)


def _xml(
    name: str, started: datetime | None, named: Mapping[str, str], cases: Sequence[TestCase]
) -> str:
    suite = TestSuite(plain_text(name))
    if started is not None:
        suite.timestamp = started.isoformat()
    for title, text in named.items():
        suite.add_property(plain_text(title), plain_text(text))
    suite.add_testcases(list(cases))
    xml = JUnitXml("solrbench")
    xml.add_testsuite(suite)
    xml.update_statistics()
    written: bytes = xml.tostring()
    return written.decode()


def _end(benchmark: SolrBenchmark) -> TestCase:
    status = benchmark.status
    begin, end = status.start_time, status.completion_time
    seconds = None if begin is None or end is None else (end - begin).total_seconds()
    case = _named("benchmark succeeds", benchmark.key, seconds)
    outcome = plain_text(outcome_facts(benchmark).get("Outcome", ""))
    if status.phase == "Failed":
        case.result = [Error(outcome, "Failed")]
    elif status.completion_time is None:
        case.result = [Skipped(outcome or "waits for the operator")]
    return case


def _objectives(benchmark: SolrBenchmark) -> Iterator[TestCase]:
    objectives = benchmark.status.objectives
    for result in objectives.results if objectives is not None else []:
        where = ", ".join(filter(None, (result.step, result.variant)))
        name = f"{result.name} ({where}) is met" if where else f"{result.name} is met"
        case = _named(name, f"{benchmark.key}.objectives")
        if result.conclusion is ObjectiveConclusion.MISSED:
            case.result = [Failure(plain_text(result.message), result.conclusion)]
        elif result.conclusion is ObjectiveConclusion.INCONCLUSIVE:  # neither met nor missed
            case.result = [Skipped(plain_text(result.message))]
        yield case


def _verdicts(benchmark: SolrBenchmark) -> Iterator[TestCase]:
    for verdict in benchmark.status.verdicts:
        case = _named(f"{step_label(verdict)} is Valid", f"{benchmark.key}.verdict")
        if reasons := verdict.reasons:
            # One failure of all reasons: many readers take but the first of a case.
            failure = Failure(plain_text(reasons[0].message), reasons[0].reason)
            failure.text = plain_text("\n".join(f"{e.reason}: {e.message}" for e in reasons))
            case.result = [failure]
        elif verdict.verdict == INCONCLUSIVE:  # as an objective that is neither met nor missed
            case.result = [Skipped(INCONCLUSIVE)]
        if verdict.unchecked:
            case.system_out = plain_text("\n".join(map(_unchecked_line, verdict.unchecked)))
        yield case


def _unchecked_line(gap: InvalidReason) -> str:
    return f"{NOT_CHECKED} ({gap.reason}): {gap.message}"


def _named(name: str, of: str, seconds: float | None = None) -> TestCase:
    return TestCase(plain_text(name), classname=plain_text(of), time=seconds)


def plain_text(text: str) -> str:
    """Return a text without the characters that XML cannot have."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _case(report: SweepReport, point: PointReport) -> TestCase:
    case = _named(name_point(point), report.sweep)
    state = point.result.state
    if state == PointState.FAILED:
        case.result = [Error(plain_text(point.outcome), point.result.reason or "Failed")]
    elif state not in FINAL or state == PointState.NOT_MEASURED:
        case.result = [Skipped(f"the point is {state}")]
    elif problems := list(_problems(point)):
        failure = Failure(plain_text(problems[0]), state)
        failure.text = plain_text("\n".join(problems))
        case.result = [failure]
    elif undecided := list(_undecided(point)):
        case.result = [Skipped(plain_text(undecided[0]))]
        case.system_out = plain_text("\n".join(undecided))
    left_out = [*_reasons(part for part in point.benchmarks.values() if _is_left_out(point, part))]
    if left_out:
        lines = [case.system_out or "", "Rounds that are Invalid:", *left_out]
        case.system_out = plain_text("\n".join(filter(None, lines)))
    return case


def _is_left_out(point: PointReport, part: Findings) -> bool:
    """Return whether a round is Invalid, of a point that is not."""
    return point.result.state != PointState.INVALID and any(each.reasons for each in part.verdicts)


def _reasons(parts: Iterable[Findings]) -> Iterator[str]:
    reasons = (each for part in parts for verdict in part.verdicts for each in verdict.reasons)
    yield from (f"{each.reason}: {each.message}" for each in reasons)


def _counted(point: PointReport) -> list[Findings]:
    """Return what the rounds found that are not left out."""
    return [part for part in point.benchmarks.values() if not _is_left_out(point, part)]


def _objectives_that_are(word: ObjectiveConclusion, point: PointReport) -> Iterator[str]:
    objectives = (each for part in _counted(point) for each in part.objectives)
    yield from (each.message for each in objectives if each.conclusion is word)


def _problems(point: PointReport) -> Iterator[str]:
    reasons = [*_reasons(_counted(point))]
    yield from reasons
    yield from _objectives_that_are(ObjectiveConclusion.MISSED, point)
    if point.result.state == PointState.INVALID and not reasons:
        yield "a step, or the time of indexing, is Invalid"


def _undecided(point: PointReport) -> Iterator[str]:
    """Yield what is neither good nor bad."""
    if point.result.state == PointState.INCONCLUSIVE:
        yield f"the point is {point.result.state}"
        verdicts = (verdict for part in _counted(point) for verdict in part.verdicts)
        yield from map(_unchecked_line, (each for found in verdicts for each in found.causes))
    yield from _objectives_that_are(ObjectiveConclusion.INCONCLUSIVE, point)
