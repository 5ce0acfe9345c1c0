"""All reasons, and look-ups by their words."""

from solrbench.reasons.data import IndexingReason
from solrbench.reasons.end import ApiServerReason, CleanupReason, ExportReason
from solrbench.reasons.kinds import Kind, Reason
from solrbench.reasons.lifecycle import LifecycleReason, SweepReason
from solrbench.reasons.load import LoadReason
from solrbench.reasons.target import CompanionReason, PodReason, TargetReason

GROUPS: tuple[type[Reason], ...] = (
    LifecycleReason,
    PodReason,
    TargetReason,
    CompanionReason,
    IndexingReason,
    LoadReason,
    CleanupReason,
    ApiServerReason,
    ExportReason,
    SweepReason,
)
"""The enumerations, in the order of the reference."""

ALL_REASONS: tuple[Reason, ...] = tuple(each for group in GROUPS for each in group)
"""Every reason, in the same order."""

_BY_VALUE = {each.value: each for each in ALL_REASONS}

PERMANENT_REASONS = frozenset(each for each in ALL_REASONS if each.kind is Kind.PERMANENT)
"""Reasons that another attempt with the same spec and data cannot cure."""


def find_reason(word: str | None) -> Reason | None:
    """Return the reason that a stored condition or another process names, if it is known."""
    return _BY_VALUE.get(word or "")
