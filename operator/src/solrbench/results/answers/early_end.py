"""Steps that ended before their time."""

from collections.abc import Iterator

from solrbench.api.v1alpha1 import Spec, Status


def answer_early_ends(spec: Spec, status: Status) -> Iterator[str]:
    """Yield `soak broke off at second 812 (…)` for each such step: when, why, first symptom."""
    del spec
    for each in status.verdicts:
        through = f" through {each.variant}" if each.variant else ""
        for reason in each.reasons:
            if reason.reason == "EndedEarly":
                yield f"{each.step}{through}: {reason.message}"
