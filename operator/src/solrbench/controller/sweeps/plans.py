"""The plans of sweeps, kept while their spec stays: to validate 500 points takes half a second."""

import threading

from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.sweep.plan import SweepPlan, make_plan


class Plans:
    """The plan of each sweep; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plans: dict[str, tuple[int, SweepPlan]] = {}

    def plan_of(self, sweep: SolrBenchmarkSweep) -> SweepPlan:
        """Return the plan by the present spec of a sweep."""
        uid, generation = sweep.metadata.uid, sweep.metadata.generation
        with self._lock:
            known = self._plans.get(uid)
        if known is not None and known[0] == generation:
            return known[1]
        plan = make_plan(sweep)
        with self._lock:
            self._plans[uid] = (generation, plan)
        return plan

    def forget(self, uid: str) -> None:
        """Drop the plan of a sweep that is gone."""
        with self._lock:
            self._plans.pop(uid, None)
