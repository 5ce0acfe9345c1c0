"""Which point begins, on which target, and which targets are left.

A target belongs to a point as long as that is under way. When it is over, the next point that needs
the same SolrCloud takes it over in the same step; a target that no point under way uses is
removed, and no other point begins before that is done. So at most one target per point under way
takes room, as without sharing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from solrbench.api.v1alpha1.sweep import SweepPoint, SweepTarget
from solrbench.contract.step_runs import (
    ANNOTATION_PREVIOUS,
    ANNOTATION_REUSES,
    ANNOTATION_TARGET,
    Reuse,
)
from solrbench.sweep.planned_points import PlannedPoint, common_parts
from solrbench.sweep.points import benchmark_name
from solrbench.sweep.state import ChildView, PointState, ended_well, round_of


def find_idle(
    points: Iterable[SweepPoint], targets: Iterable[SweepTarget]
) -> tuple[SweepTarget, ...]:
    """Return the targets that no point under way uses."""
    running = {each.name for each in points if each.state == PointState.RUNNING}
    return tuple(each for each in targets if each.point not in running)


def target_annotations(
    sweep: str, point: SweepPoint, targets: Iterable[SweepTarget]
) -> dict[str, str]:
    """Return what the benchmark of a point under way must know of the target that it shares."""
    target = next((each for each in targets if each.point == point.name), None)
    if target is None:
        return {}
    if target.previous is None or point.reuses is None:  # it makes the target itself
        return {ANNOTATION_TARGET: target.name}
    return {
        ANNOTATION_TARGET: target.name,
        ANNOTATION_REUSES: point.reuses,
        ANNOTATION_PREVIOUS: benchmark_name(sweep, target.previous, target.previous_round or 1),
    }


# A target that waits with its point takes the room of the benchmark that runs; but the clean-up of
# the point before takes some seconds.
PATIENCE = timedelta(seconds=10)


@dataclass
class PointScheduler:
    """Points and shared targets, as far as a sweep has come; points begin while there are places.

    `points` are those of `planned` as they are in the status, `targets` those that may be there,
    both by name. `places` are how many points may be under way. Only those in `due` begin, by name;
    all if None.
    """

    sweep: str
    planned: Sequence[PlannedPoint]
    points: dict[str, SweepPoint]
    targets: dict[str, SweepTarget]
    places: int
    due: frozenset[str] | None

    def __post_init__(self) -> None:
        self._planned = {each.point.name: each for each in self.planned}
        clusters = Counter(planned_point.fingerprints.cluster for planned_point in self.planned)
        self._shared = {name for name, number in clusters.items() if name and number > 1}

    def begin_points(self) -> None:
        """Begin as many more points as there are places.

        A point that takes over a target goes first, as that would be removed otherwise. Points that
        need one of their own wait until nothing is left of those that nothing uses.
        """
        for planned_point in self._waiting():
            self._take_over(planned_point)
        for planned_point in self._waiting():
            if self._take_over(planned_point):
                continue
            # Nothing else begins before it is removed: two targets would take the room of one.
            if find_idle(self.points.values(), self.targets.values()):
                return
            name = planned_point.point.name
            if planned_point.fingerprints.cluster in self._shared:
                # A later point may take it over.
                made = self._benchmark(name)
                self.targets[made] = SweepTarget(name=made, point=name)
            self._run(name, None)

    def give_up_targets(self, children: Mapping[str, ChildView], now: datetime) -> None:
        """Let go of targets whose next point waits, or whose benchmark was deleted.

        The benchmarks of others need the room of one that waits; one that was deleted has left
        documents of its own on the cluster of the one before.
        """
        for target in [*self.targets.values()]:
            name = target.point or ""
            child, point = children.get(name), self.points.get(name)
            if target.previous is None or point is None or point.state != PointState.RUNNING:
                continue
            if child is None:
                is_given_up = point.reuses == Reuse.CLUSTER and point.blocked_since is None
            else:
                since = None if child.suspend else child.waits_since
                is_given_up = since is not None and now - since >= PATIENCE
            if is_given_up:
                # The point makes its own target, under the name of its benchmark.
                made = self._benchmark(name)
                self.targets[target.name] = SweepTarget(name=target.name)
                self.targets[made] = SweepTarget(name=made, point=name)
                self._run(name, None)

    def _waiting(self) -> Iterator[PlannedPoint]:
        """Yield the points that have not begun, while there are places."""
        for planned_point in self.planned:
            running = sum(p.state == PointState.RUNNING for p in self.points.values())
            if running >= self.places:
                return
            name = planned_point.point.name
            is_due = self.due is None or name in self.due
            if is_due and self.points[name].state == PointState.PLANNED:
                yield planned_point

    def _take_over(self, wanted: PlannedPoint) -> bool:
        """Begin a point on the target of a measured one; return whether there is one."""
        name = wanted.point.name
        for target in find_idle(self.points.values(), self.targets.values()):
            last = target.point or ""
            before = self._planned.get(last)
            # What a failed point left of its target is not known.
            if before is None or not ended_well(self.points[last]):
                continue
            reuse = common_parts(before.fingerprints, wanted.fingerprints)
            if reuse is not None:
                rounds = self.points[last].rounds
                update = {"point": name, "previous": last, "previous_round": rounds}
                self.targets[target.name] = target.model_copy(update=update)
                self._run(name, reuse)
                return True
        return False

    def _benchmark(self, name: str) -> str:
        """Return the name of the benchmark that a point is measured by next."""
        return benchmark_name(self.sweep, name, round_of(self.points[name]))

    def _run(self, name: str, reuse: Reuse | None) -> None:
        update = {"state": PointState.RUNNING, "reuses": reuse}
        self.points[name] = self.points[name].model_copy(update=update)
