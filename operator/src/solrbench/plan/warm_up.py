"""The warm-up of a benchmark."""

from solrbench.api.v1alpha1.load.warm_up import UntilSteady, WarmUp
from solrbench.api.v1alpha1.spec import Spec
from solrbench.plan.workload_files import once_only_entries

DEFAULT_WARM_UP = WarmUp(until_steady=UntilSteady(max_seconds=120))
"""What is sent if the spec says nothing; a cold first repeat differs by tens of per cent."""


def warm_up_of(spec: Spec) -> WarmUp | None:
    """Return the warm-up before the first step; None without one.

    Lists that are gone through once have none by default, as it would use up an unknown part.
    """
    if spec.warm_up is None:
        return None if any(once_only_entries(spec.workload)) else DEFAULT_WARM_UP
    return None if spec.warm_up.requests == 0 else spec.warm_up
