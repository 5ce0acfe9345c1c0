"""A step run that was ended before its time, in words."""

from solrbench.api.v1alpha1.load.load import StopRules
from solrbench.results.model.windows import EndedEarly
from solrbench.results.stats.number_format import format_number


def describe_early_end(ended: EndedEarly, stop: StopRules) -> str:
    """Return when it was ended, since when nothing was good, and the limit or the reason."""
    if ended.reason is not None:
        return _describe_break(ended)
    return (
        f"ended at second {format_number(ended.second)}: the last good response came at second"
        f" {format_number(ended.last_good_second)}, {ended.failures} requests failed since"
        f" (load.stop.collapseSeconds, limit {stop.collapse_seconds} s)"
    )


def _describe_break(ended: EndedEarly) -> str:
    failed = f", {ended.failures} requests failed since" if ended.failures else ""
    return (
        f"broke off at second {format_number(ended.second)} ({ended.reason}: {ended.message}): the"
        f" last good response came at second {format_number(ended.last_good_second)}{failed}; what"
        " was measured until then is kept, over all request names"
    )
