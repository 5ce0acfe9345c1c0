"""The conditions of a resource, and the progress that follows from them.

`lastTransitionTime` moves only when a condition's status flips (Kubernetes API conventions,
"Typical status properties").
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, cast

from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.sweep import SweepStatus
from solrbench.contract.foreign import printable
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason

ACCEPTED = "Accepted"
TARGET_READY = "TargetReady"
DATA_INDEXED = "DataIndexed"
MEASURED = "Measured"
OBJECTIVES_MET = "ObjectivesMet"
"""Only of benchmarks with objectives, once everything is measured."""
EXPORTED = "Exported"
"""Only of benchmarks with `spec.results.export`, from the end on."""
CLEANED_UP = "CleanedUp"
SUCCEEDED = "Succeeded"
COMPLETE = "Complete"
COMPARED = "Compared"
ANSWERS_COMPARED = "AnswersCompared"
"""Only of benchmarks with `spec.comparison.answers` that have something to compare them with."""
ALL_TYPES = (ACCEPTED, TARGET_READY, DATA_INDEXED, MEASURED, CLEANED_UP, SUCCEEDED, COMPLETE)
"""Those of a benchmark."""
OPTIONAL_TYPES = (OBJECTIVES_MET, COMPARED, ANSWERS_COMPARED, EXPORTED)
"""Those that only benchmarks have whose spec asks for them."""
SWEEP_TYPES = (ACCEPTED, SUCCEEDED, COMPLETE)
"""Those of a sweep."""

Truth = Literal["True", "False", "Unknown"]
MAX_REASON = 1024
MAX_MESSAGE = 2000


class Conditions:
    """The full list of conditions of one reconcile, started from those stored."""

    def __init__(
        self,
        stored: Iterable[Condition],
        now: datetime,
        generation: int,
        types: Sequence[str] = ALL_TYPES,
    ) -> None:
        self._now = now
        self._generation = generation
        self._types = types
        self._by_type = {condition.type: condition for condition in stored}
        for type_ in types:
            if type_ not in self._by_type:
                self.set(type_, "Unknown", LifecycleReason.PENDING, "")
        self._complete()

    def set(self, type_: str, status: Truth, reason: Reason, message: str) -> None:
        """Set one condition; `Complete` follows `Succeeded`."""
        before, since = self._by_type.get(type_), self._now
        if before is not None and before.status == status:
            since = before.last_transition_time
        self._by_type[type_] = Condition(
            type=type_,
            status=status,
            # The schema of a condition refuses longer ones, and with them the whole status.
            reason=str(reason)[:MAX_REASON],
            message=printable(message)[:MAX_MESSAGE],  # programs of others wrote some
            last_transition_time=since,
            observed_generation=self._generation,
        )
        if type_ == SUCCEEDED:
            self._complete()

    def _complete(self) -> None:
        succeeded = self._by_type[SUCCEEDED]
        over: Truth = "False" if succeeded.status == "Unknown" else "True"
        # Cut already, and cut again to the same: `reason` is any text by now.
        self.set(COMPLETE, over, cast(Reason, succeeded.reason), succeeded.message)

    def is_true(self, type_: str) -> bool:
        """Return whether a condition is `True`."""
        return self._by_type[type_].status == "True"

    def get(self, type_: str) -> Condition:
        """Return one condition."""
        return self._by_type[type_]

    def as_list(self) -> list[Condition]:
        """Return all conditions in their fixed order.

        Those that were not set anew hold for the present generation, too: what may change of a spec
        either concerns a condition that was set, or none.
        """
        types = (*self._types, *OPTIONAL_TYPES)
        seen = {"observed_generation": self._generation}
        known = [self._by_type[type_] for type_ in types if type_ in self._by_type]
        return [condition.model_copy(update=seen) for condition in known]


def is_finished(status: Status) -> bool:
    """Return whether the benchmark is over, either way."""
    return any(each.type == SUCCEEDED and each.status != "Unknown" for each in status.conditions)


def stored_condition(body: Mapping[str, Any], type_: str) -> Mapping[str, Any]:
    """Return a condition of a resource as it is stored, be it readable or not; empty without."""
    conditions = (body.get("status") or {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == type_), {})


def is_exporting(body: Mapping[str, Any]) -> bool:
    """Return whether an export may have a Job: one that this version cannot read has none."""
    exported = stored_condition(body, EXPORTED)
    is_shown = exported.get("reason") == LifecycleReason.UNREADABLE
    return exported.get("status") == "Unknown" and not is_shown


def is_over(body: Mapping[str, Any]) -> bool:
    """Return whether a stored benchmark or sweep has ended, either way."""
    return bool(stored_condition(body, SUCCEEDED).get("status", "Unknown") != "Unknown")


def holds(status: Status | SweepStatus, type_: str) -> bool:
    """Return whether a condition is `True` in a stored status."""
    return any(each.type == type_ and each.status == "True" for each in status.conditions)


def progress_percent(  # noqa: PLR0913 - what is done, and of how much
    status: Status,
    *,
    target: bool,
    indexed: bool,
    finished: bool,
    total_steps: int,
    starts: int = 1,
) -> int:
    """Return how far the benchmark is: a tenth for the target, three for the data, six for load.

    The weights are a convention for display, nothing is concluded from them.

    `total_steps` are those of all repeats, and trials, that there may be, `starts` how often target
    or data are made because repeats start anew.
    """
    if finished:
        return 100
    percent = 10.0 if target else 0.0
    total = status.dataset.documents_total  # unknown for files: then nothing until the end
    if indexed:
        percent += 30
    elif status.dataset.documents and total:
        percent += min(30.0, 30.0 * status.dataset.documents / total)
    before = (status.attempts.repeat or 1) - 1
    percent = (40.0 * before + percent) / max(starts, 1)
    percent += 60.0 * status.report.stored_steps / max(total_steps, 1)
    return min(99, int(percent))
