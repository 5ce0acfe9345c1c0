"""The warm-up of a benchmark, and what is done before it."""

from solrbench.api.v1alpha1.load.between import Before, SolrCaches
from solrbench.api.v1alpha1.load.warm_up import UntilSteady, WarmUp
from solrbench.api.v1alpha1.spec import Spec
from solrbench.plan.workload_files import once_only_entries

DEFAULT_WARM_UP = WarmUp(until_steady=UntilSteady(max_seconds=120))
"""What is sent if the spec says nothing; a cold first repeat differs by tens of per cent."""


def warm_up_of(spec: Spec) -> WarmUp | None:
    """Return the warm-up before the first step, or before each; None without one.

    Lists that are gone through once have none by default, as it would use up an unknown part.
    """
    between = spec.load.between
    wanted = spec.warm_up if between is None else between.warm_up or spec.warm_up
    if wanted is None:
        uses_up = any(once_only_entries(spec.workload)) and spec.workload.warm_up_queries is None
        return None if uses_up else DEFAULT_WARM_UP
    return None if wanted.requests == 0 else wanted


def prepares_each_step(spec: Spec) -> bool:
    """Return whether caches and warm-up come before each step, not only before the first."""
    between = spec.load.between
    return between is not None and between.before is Before.EACH_STEP


def empties_caches(spec: Spec) -> bool:
    """Return whether Solr's caches are emptied before the warm-up."""
    between = spec.load.between
    return between is not None and between.caches is SolrCaches.EMPTY


def preparation_note(spec: Spec) -> str:
    """Return what was cold when steps began; empty where caches were kept."""
    if not empties_caches(spec):
        return ""
    what = "step" if prepares_each_step(spec) else "repeat"
    warmed = "" if warm_up_of(spec) is None else ", then warmed up"
    return f"Solr's caches were emptied before each {what}{warmed}"
