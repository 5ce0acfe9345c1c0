"""What the index pods used, over all of them."""

from collections.abc import Mapping, Sequence

from solrbench.api.v1alpha1.status.target import IndexPodsStatus

Usage = Mapping[str, float]

_RATES = {
    "cpu_cores": "cpu_seconds",
    "cpu_user_cores": "cpu_user_seconds",
    "network_sent_bytes_per_second": "network_sent_bytes",
    "network_received_bytes_per_second": "network_received_bytes",
}
"""Figures that are added, each divided by the seconds of its pod."""

_WORST = (
    "throttled_percent",
    "cpu_some_percent",
    "memory_some_percent",
    "io_some_percent",
    "working_set_max_bytes",
)


def add_up_usage(pods: Sequence[Usage]) -> IndexPodsStatus | None:
    """Return the figures of all pods together; None if none of them reported any."""
    known = [each for each in pods if each.get("seconds", 0.0) > 0]
    found = {
        name: round(sum(rates), 3)
        for name, figure in _RATES.items()
        if (rates := [each[figure] / each["seconds"] for each in known if figure in each])
    }
    found |= {
        name: max(numbers)
        for name in _WORST
        if (numbers := [each[name] for each in known if name in each])
    }
    return IndexPodsStatus.model_validate(found) if found else None
