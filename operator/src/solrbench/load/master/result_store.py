"""Where the lists of a workload go on, from step run to step run and attempt to attempt.

What was sent is known from the results of step runs. Of a try that was lost only the most that it
can have sent is known, and with the order `Once` so much is skipped. Users who send a given
time can have sent any number: then nothing can be skipped, and what follows says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Self

from solrbench.api.v1alpha1.load.load import OnWorkerLoss
from solrbench.api.v1alpha1.workload.workload import Workload
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.arrivals import arrivals, arrivals_seed
from solrbench.load.schedule.assignment import Assignment, step_assignment, warm_up_assignment
from solrbench.plan.load_plan import LoadPlan
from solrbench.plan.workload_files import once_only_entries


@dataclass(frozen=True)
class ListOffsets:
    """A place in the lists of a workload.

    Attributes:
        once_only: for each entry whether its list is gone through once
        offsets: for each entry the number of its next request in the steps, or a little more;
            entries beyond are at 0
        may_repeat: requests of a finite list from here on may have been sent before

    """

    once_only: tuple[bool, ...]
    offsets: tuple[int, ...] = ()
    may_repeat: bool = False

    def advanced_by(self, results: Sequence[WorkerStepResult], *, lost: bool = False) -> Self:
        """Return the place after a step run that began here.

        That is beyond the highest slot of any worker: what a slower worker left out is skipped, so
        nothing is sent twice. A worker that was lost may have been ahead of all others.
        """
        columns = zip_longest(*(result.used_numbers for result in results), fillvalue=0)
        used = [max(column) for column in columns]
        return replace(
            self,
            offsets=tuple(a + b for a, b in zip_longest(self.offsets, used, fillvalue=0)),
            may_repeat=self.may_repeat or (lost and any(self.once_only)),
        )

    def skip_lost(self, most: int | None, tries: int = 1) -> Self:
        """Return the place after lost tries, each of at most that many requests.

        Only finite lists move: of all others the same requests are sent as if nothing was lost.
        None stands for a number that is unknown.
        """
        if not tries or not any(self.once_only):
            return self
        if most is None:
            return replace(self, may_repeat=True)
        steps = [tries * most * once for once in self.once_only]
        return replace(
            self,
            offsets=tuple(a + b for a, b in zip_longest(self.offsets, steps, fillvalue=0)),
        )


def resumed(plan: LoadPlan) -> ListOffsets:
    """Return where the first ladder of a plan begins, behind all that was sent before."""
    before, finite = plan.resumption, once_only_entries(plan.workload)
    mark = ListOffsets(finite, tuple(before.offsets))
    if not any(finite):
        return mark
    # Within a lost attempt, workers that were left may have begun a step several times.
    many = before.lost_steps > 0 and plan.on_worker_loss is OnWorkerLoss.REDISTRIBUTE
    mark = replace(mark, may_repeat=before.may_repeat or many)
    if not before.lost_steps:
        return mark
    first = plan.step_runs[0]
    warm_up = warm_up_assignment(plan, first)
    if warm_up is not None and plan.workload.warm_up_queries is None:
        mark = mark.skip_lost(max_requests_sent(warm_up, plan.workload), before.lost_warm_ups)
    return mark.skip_lost(
        max_requests_sent(step_assignment(plan, first), plan.workload), before.lost_steps
    )


def max_requests_sent(assignment: Assignment, workload: Workload) -> int | None:
    """Return the most requests that a try of a step run can have sent, of each entry and of all.

    None where it is unknown: users who send for a given time, and the replay of a log.
    """
    if assignment.open_loop is None or assignment.open_loop.speed_factor is not None:
        return assignment.requests
    seed = arrivals_seed(workload.draw_seed, assignment.repeat, assignment.step)
    return sum(len(block) for block in arrivals(assignment.open_loop, seed))
