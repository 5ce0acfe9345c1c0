"""Every step of every repeat in the order of measuring, the warm-up before, and shared targets.

A target that points of a sweep use one after another is named after the point that it was made for
and belongs to the sweep, so that it outlives every one of its points, and nothing of it outlives
the sweep.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from solrbench.api.identity import SWEEP_KIND
from solrbench.api.v1alpha1 import GROUP, SolrBenchmark
from solrbench.api.v1alpha1.arrivals import UntilSteady, WarmUp
from solrbench.api.v1alpha1.benchmark import MAX_NAME, OwnerReference, Spec
from solrbench.api.v1alpha1.load import Before, SolrCaches, last_rate
from solrbench.api.v1alpha1.repeats import RepeatOrder, RepeatStart
from solrbench.contract.workload_files import once_only_entries

FIRST_REPEAT = 1


@dataclass(frozen=True)
class StepRunId:
    """One step of one repeat through one variant of the target.

    Repeats are numbered from 1, variants and steps by their place in the spec, from 0.
    """

    repeat: int
    variant_index: int
    step_index: int
    step: str
    variant: str = ""

    def __str__(self) -> str:
        endpoint = f"v{self.variant_index}-" if self.variant else ""
        return f"r{self.repeat}-{endpoint}s{self.step_index}-{self.step}"


def all_step_runs(spec: Spec, repeats: int | None = None) -> tuple[StepRunId, ...]:
    """Return every step of every repeat through every variant, in the order of measuring.

    Repeats are the outer loop, so drift affects all steps equally; variants take turns within
    each, the whole ladder at a time, in the order of `load.repeats.order`. Steps keep their order:
    ramps begin where the step before ended, and a low load after a high one finds warmer caches.
    Without `repeats` there are as many as there may be.
    """
    names = variant_names(spec)
    return tuple(
        StepRunId(repeat, index, position, step.name, names[index])
        for repeat in range(FIRST_REPEAT, (repeats or spec.load.repeats.most) + 1)
        for index in variant_order(spec, repeat)
        for position, step in enumerate(spec.load.steps)
    )


def variant_order(spec: Spec, repeat: int) -> list[int]:
    """Return the places of the variants in the order in which one repeat measures them.

    A drift that goes on through all repeats falls on both variants alike only if neither is always
    the first: with A B A B it is taken for a difference (docs/method/comparisons.md has the rates).
    """
    places = list(range(len(variant_names(spec))))
    match spec.load.repeats.order:
        case RepeatOrder.LISTED:
            return places
        case RepeatOrder.INTERLEAVED:
            return places if repeat % 2 else places[::-1]
        case RepeatOrder.REVERSED:
            return places[::-1] if repeat % 2 else places
        case RepeatOrder.RANDOM:
            # A hash of seed, repeat and place is the same in every process that asks, whatever was
            # drawn before; distinct and evenly distributed, it makes a random permutation.
            texts = [f"order/{spec.seed}/{repeat}/{place}".encode() for place in places]
            keys = [hashlib.blake2b(text, digest_size=16).digest() for text in texts]
            return sorted(places, key=keys.__getitem__)


def variant_names(spec: Spec) -> tuple[str, ...]:
    """Return the names of the variants in their order; one empty name without variants."""
    return tuple(variant.name for variant in spec.target.variants) or ("",)


def remaining_step_runs(
    spec: Spec, stored: frozenset[str], repeats: int | None = None
) -> tuple[StepRunId, ...]:
    """Return the step runs that are not among the `stored` ids, in order, as `all_step_runs`."""
    return tuple(each for each in all_step_runs(spec, repeats) if str(each) not in stored)


def measured_on_target(
    spec: Spec, step_runs: Iterable[StepRunId], repeat: int | None
) -> tuple[StepRunId, ...]:
    """Return those of some step runs that are measured on the present target and data, in order.

    `repeat` is the one that target or data were made for; absent during the first.
    """
    if spec.load.repeats.start_on is RepeatStart.SAME_TARGET:
        return tuple(step_runs)
    return tuple(step_run for step_run in step_runs if step_run.repeat == (repeat or FIRST_REPEAT))


def rate_before(spec: Spec, step_run: StepRunId) -> float:
    """Return the planned rate of the step before in the ladder, per second; 0 without one."""
    if step_run.step_index == 0:
        return 0.0
    return last_rate(spec.load.steps[step_run.step_index - 1])


ANNOTATION_TARGET = f"{GROUP}/target"
ANNOTATION_REUSES = f"{GROUP}/reuses"
ANNOTATION_PREVIOUS = f"{GROUP}/previous"


class Reuse(StrEnum):
    """What a point takes over from the one before."""

    CLUSTER = "Cluster"
    INDEX = "Index"


@dataclass(frozen=True)
class SharedTarget:
    """The target of a benchmark that is a point of a sweep, which owns it."""

    name: str
    """That of the benchmark that it was made for; its objects are named and labelled so."""
    owner: OwnerReference
    previous: str | None = None
    """Name of the benchmark that used it last; None if there was none."""
    reuses: Reuse | None = None
    """What is taken over from that one."""


def shared_target(benchmark: SolrBenchmark) -> SharedTarget | None:
    """Return the target that a benchmark shares; None if it has its own.

    Only a sweep that controls the benchmark lends it a target, and only one of its own.
    """
    annotations, owner = benchmark.metadata.annotations, benchmark.metadata.controller
    name = annotations.get(ANNOTATION_TARGET, "")
    if owner is None or owner.kind != SWEEP_KIND:
        return None
    # Users may write annotations: a name that is not of the sweep would hand them the target of
    # another benchmark.
    pattern = f"{re.escape(owner.name)}-[-a-z0-9]*[a-z0-9]"
    if len(name) > MAX_NAME or re.fullmatch(pattern, name) is None:
        return None
    reuses, previous = annotations.get(ANNOTATION_REUSES), annotations.get(ANNOTATION_PREVIOUS)
    if reuses not in list(Reuse) or previous is None:
        return SharedTarget(name, owner)
    return SharedTarget(name, owner, previous, Reuse(reuses))


# Where the spec says nothing: a cold first repeat differs by tens of per cent.
DEFAULT_WARM_UP = WarmUp(until_steady=UntilSteady(max_seconds=120))


def warm_up_of(spec: Spec) -> WarmUp | None:
    """Return the warm-up before the first step, or before each; None without one."""
    between = spec.load.between
    wanted = spec.warm_up if between is None else between.warm_up or spec.warm_up
    if wanted is None:
        # It would use up an unknown part of a list that is gone through once.
        uses_up = any(once_only_entries(spec.workload)) and spec.workload.warm_up_queries is None
        return None if uses_up else DEFAULT_WARM_UP
    # Asked for by 0, so that the spec can also say that there is none.
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
