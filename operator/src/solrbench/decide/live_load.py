"""The load under way as `status.liveLoad`, from what its master says."""

from datetime import datetime

from solrbench.api.v1alpha1.status.target import LiveLoad
from solrbench.plan.load_plan import LoadState
from solrbench.results.stats.number_format import round_significant


def build_live_load(state: LoadState, now: datetime) -> LiveLoad:
    """Return the live figures as of `now`, rounded to what they are known to."""
    is_planned = state.planned_requests_per_second is not None
    return LiveLoad(
        stage=state.stage,
        repeat=state.repeat,
        variant=state.variant,
        step=state.step,
        users=None if is_planned else state.users,
        planned_requests_per_second=state.planned_requests_per_second,
        requests=state.requests,
        requests_per_second=round(state.requests_per_second, 1),
        p50_milliseconds=round_significant(state.p50_milliseconds),
        p95_milliseconds=round_significant(state.p95_milliseconds),
        p99_milliseconds=round_significant(state.p99_milliseconds),
        recent_failures=state.recent_failures,
        recent_failed_percent=_failed_percent(state),
        update_time=now,
    )


def _failed_percent(state: LoadState) -> float | None:
    if not state.recent_requests or state.recent_failures is None:
        return None
    return round_significant(100 * state.recent_failures / state.recent_requests)
