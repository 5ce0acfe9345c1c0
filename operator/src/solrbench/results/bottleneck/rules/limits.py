"""A figure against its limit, and limits that several rules share.

The limits are those of docs/method.md, with their sources. A rule whose figures are missing does
not apply.
"""

from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.stats.number_format import format_percent
from solrbench.results.validity.checks.finding import Finding

MAX_CPU_PERCENT = 85.0
MAX_MACHINE_PERCENT = 90.0
MAX_THROTTLED_PERCENT = 5.0


def is_cpu_busy(run: Evidence) -> bool:
    """Return whether Solr uses up its CPUs, as far as is known."""
    return (run.figure("cpu_percent") or 0.0) > MAX_CPU_PERCENT


def found_by_verdict(run: Evidence, *reasons: str) -> Symptom | None:
    """Return the symptom of the first of some checks of the verdict that found something."""
    for reason in reasons:
        found = run.findings.get(reason)
        if isinstance(found, Finding):
            return Symptom(f"{reason}: {found.text}")
    return None


def above(run: Evidence, name: str, limit: float, what: str) -> Symptom | None:
    """Return the symptom of a percentage above its limit; None without the figure."""
    value = run.figure(name)
    if value is None or value <= limit:
        return None
    return Symptom(
        f"{format_percent(value)} {what} (limit {format_percent(limit)})", run.server(name)
    )


def above_count(run: Evidence, name: str, limit: float, what: str) -> Symptom | None:
    """Return the symptom of a count above its limit; None without the figure."""
    value = run.figure(name)
    if value is None or value <= limit:
        return None
    return Symptom(f"{value:.3g} {what} (limit {limit:g})", run.server(name))
