"""Where a new attempt of the load goes on in the lists of the workload."""

from collections.abc import Iterable
from itertools import zip_longest

from solrbench.plan.load_plan import Resumption
from solrbench.plan.step_runs import StepRunId
from solrbench.results.model.step_result import StepRunResult

_FIRST_ATTEMPT = 1


def plan_resumption(
    first: StepRunId,
    documents: Iterable[StepRunResult],
    attempt: int,
    first_attempt_on_target: int,
    *,
    warms_each_step: bool = False,
) -> Resumption:
    """Return what is known of the ladder that an attempt begins in the middle.

    Step runs are stored in their order, and with lists that are gone through once the load begins
    none before the one ahead of it is stored. So every attempt since the last stored step run may
    have begun the `first` one that is left, and no other.

    Args:
        first: the first step run that is not stored
        documents: everything stored
        attempt: the load's, which is about to begin
        first_attempt_on_target: first attempt of the load at the present target; earlier ones
            queried another Solr
        warms_each_step: whether each step run has a warm-up of its own

    """
    stored = list(documents)
    last = max((each.attempt for each in stored), default=_FIRST_ATTEMPT)
    begun = max(last, first_attempt_on_target)
    lost = max(0, attempt - begun)
    own = [each for each in stored if (each.repeat, each.variant) == (first.repeat, first.variant)]
    # The warm-up of an attempt that stored a step run of this ladder is in the offsets of that step
    # run.
    warmed_up = not warms_each_step and lost > 0 and any(each.attempt == begun for each in own)
    columns = zip_longest(*(each.list_offsets for each in own), fillvalue=0)
    return Resumption(
        offsets=[max(column) for column in columns],
        lost_steps=lost,
        lost_warm_ups=lost - warmed_up,
        may_repeat=any(
            each.queries_may_repeat or each.lost_workers or not each.list_offsets for each in own
        ),
    )
