"""The files of an export: every form of a report, and its histograms for other tools."""

import hashlib
import re
from collections.abc import Iterator

from solrbench.contract.step_document import StepRunResult
from solrbench.present.csv import to_csv, windows_to_csv
from solrbench.present.html import render_html
from solrbench.present.junit import to_junit
from solrbench.present.markdown import to_markdown
from solrbench.present.report import Report

REPORT_JSON = "report.json"
SUMS = "SHA256SUMS"
"""Digests of all other files, as `sha256sum --check` reads them."""

_IN_TAG = re.compile(r"[,\s]+")
_IN_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


def report_files(report: Report) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file; the page comes last but for the sums."""
    sums = []
    for name, content in _files(report):
        sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
        yield name, content
    yield SUMS, "".join(sums).encode()


def _files(report: Report) -> Iterator[tuple[str, bytes]]:
    yield REPORT_JSON, report.to_json()
    yield "results.csv", to_csv(report.status).encode()
    yield "windows.csv", windows_to_csv(report.steps).encode()
    for step in report.steps:
        yield f"histograms/{step.id}.hlog", histogram_log(step).encode()
        for file in step.diagnostics:
            yield f"diagnostics/{step.id}/{file.safe_name}", file.unpack()
    if report.environment is not None:
        yield "environment.json", report.environment.model_dump_json(indent=2).encode()
    for key, text in report.evidence.items():
        yield f"evidence/{_IN_NAME.sub('-', key).removesuffix('.txt')}.txt", text.encode()
    yield "junit.xml", to_junit(report.as_benchmark).encode()
    yield "report.md", to_markdown(report).encode()
    yield "report.html", render_html(report).encode()


def histogram_log(step_run: StepRunResult) -> str:
    """Return the histograms of a step run as an HdrHistogram log, format version 1.3.

    Each request name has a line, with it as the tag; with `-response` behind it, the times are
    those from the planned start (https://github.com/HdrHistogram/HdrHistogram, HistogramLogWriter).
    """
    start = step_run.start_time
    written = start.isoformat(timespec="seconds")
    lines = [
        "#[service and response times in microseconds]",
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {start.timestamp():.3f} (seconds since epoch), {written}]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for request in step_run.requests:
        tag = _IN_TAG.sub("_", request.request)
        kinds = (
            (tag, request.max_microseconds, request.service_time_histogram),
            (f"{tag}-response", request.response_max_microseconds, request.response_time_histogram),
        )
        lines += [
            f"Tag={name},0.000,{step_run.seconds:.3f},{most or 0},{histogram}"
            for name, most, histogram in kinds
            if histogram is not None
        ]
    return "\n".join(lines) + "\n"
