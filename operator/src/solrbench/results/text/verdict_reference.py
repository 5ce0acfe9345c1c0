"""The part of `docs/reasons.md` on verdicts, made from the registry of validity checks."""

from solrbench.results.validity.checks.finding import VerdictReason
from solrbench.results.validity.checks.registry import REASONS

HEAD = """\
## Reasons of an Invalid step

`status.verdicts` shows them for each step and variant, with the measured value and the limit.
[How the numbers are made](method.md#the-verdict) has the evidence and the limits.

| Reason | Meaning | What to do |
| --- | --- | --- |
"""


def render_verdict_reasons() -> str:
    """Return the section."""
    return HEAD + "".join(_row(word, reason) for word, reason in REASONS.items())


def _row(word: str, reason: VerdictReason) -> str:
    remedy = reason.remedy[0].upper() + reason.remedy[1:]
    return f"| `{word}` | {reason.meaning} | {remedy}. |\n"
