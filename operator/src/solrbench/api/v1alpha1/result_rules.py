"""Rules of objectives and of the search for the capacity."""

import re
from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.objectives import MAX_OBJECTIVE_RESULTS
from solrbench.api.v1alpha1.rules.storage_limits import LADDER, ladder_length

_ONCE = "(has({0}.order) && {0}.order == 'Once')"


def _once(spec: Any) -> bool:
    entries = spec.workload.entries
    lists = [e.queries or (e.transaction.inputs if e.transaction else None) for e in entries]
    return any(each is not None and each.order == "Once" for each in lists)


_DEFAULT_NAME = "(users-[0-9]+|rate-[0-9]+(-[0-9]+)?|step)"
"""Of a step without a name; whether there is one, only its results show."""


def _names_steps(spec: Any) -> bool:
    known = {step.name for step in spec.load.steps}
    named = (name for objective in spec.objectives for name in objective.steps)
    return all(name in known or re.fullmatch(_DEFAULT_NAME, name) for name in named)


OBJECTIVE_RULES = (
    Rule(
        cel=(
            f"self.objectives.all(o, o.steps.all(s, s.matches('^{_DEFAULT_NAME}$')"
            " || self.load.steps.exists(t, has(t.name) && t.name == s)))"
        ),
        message="objectives.steps must be names of load.steps",
        is_satisfied=_names_steps,
    ),
    Rule(
        cel=f"self.objectives.size() * {LADDER} <= {MAX_OBJECTIVE_RESULTS}",
        message=(
            "objectives times load.steps times target.variants must be at most"
            f" {MAX_OBJECTIVE_RESULTS}, more results do not fit into the status"
        ),
        is_satisfied=lambda spec: (
            len(spec.objectives) * ladder_length(spec) <= MAX_OBJECTIVE_RESULTS
        ),
    ),
    Rule(
        cel=(
            "!has(self.load.capacity) || self.objectives.exists(o,"
            " (has(o.responseTime) || has(o.meanResponseTime)) && o.steps.size() == 0)"
        ),
        message=(
            "objectives must have one with responseTime or meanResponseTime, and without steps, for"
            " load.capacity: the highest rate is the one that just meets it"
        ),
        is_satisfied=lambda spec: (
            spec.load.capacity is None
            or any(each.limits_time and not each.steps for each in spec.objectives)
        ),
    ),
    Rule(
        cel="!has(self.load.capacity) || !has(self.load.repeats.until)",
        message=(
            "load.capacity must not go with load.repeats.until, a search comes after a known number"
            " of repeats; set load.repeats.count"
        ),
        is_satisfied=lambda spec: spec.load.capacity is None or spec.load.repeats.until is None,
    ),
    Rule(
        cel="!has(self.load.capacity) || !has(self.workload.locustfile)",
        message=(
            "load.capacity must not go with workload.locustfile, a locustfile runs a closed loop"
            " and cannot hold an arrival rate; use workload.queries or workload.mix"
        ),
        is_satisfied=lambda spec: spec.load.capacity is None or spec.workload.locustfile is None,
    ),
    Rule(
        cel=(
            "!has(self.load.capacity) || (!(has(self.workload.queries)"
            f" && {_ONCE.format('self.workload.queries')})"
            " && (!has(self.workload.mix) || !self.workload.mix.exists(e,"
            f" (has(e.queries) && {_ONCE.format('e.queries')})"
            " || (has(e.transaction) && has(e.transaction.inputs)"
            f" && {_ONCE.format('e.transaction.inputs')}))))"
        ),
        message=(
            "load.capacity must not go with the order Once, a search sends as many requests as it"
            " needs; set the order Sequential or Random"
        ),
        is_satisfied=lambda spec: spec.load.capacity is None or not _once(spec),
    ),
)
"""For `Spec`."""
