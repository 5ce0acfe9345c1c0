"""Whether one node is apart from its peers."""

from solrbench.results.bottleneck.evidence import Evidence, Symptom, pod_of
from solrbench.results.model.telemetry import Spread
from solrbench.results.stats.number_format import format_milliseconds, format_percent

_LEAST_RATIO = {"cpu_percent": 1.4}
_LEAST_RATIO_OF_TIMES = 1.4
"""How far the highest must exceed its peers. A node with twice its share of requests has more;
nodes whose shards are nearly alike differ by less (`python -m bench computed`)."""

MOST_DEVIATIONS = 3.0
"""And by how many scaled median absolute deviations, where there are enough nodes for them."""

_ENOUGH_NODES = 5
_LEAST = {"cpu_percent": 10.0}
"""Below so much nothing is apart: nodes that do nothing differ by chance."""

_LEAST_MILLISECONDS = 1.0


def find_apart(run: Evidence, figure: str) -> Symptom | None:
    """Return the node that is apart from the others by a figure; None if there is none."""
    spread = run.servers.peers.get(figure)
    if spread is None or spread.servers < 2 or not _is_apart(spread):
        return None
    show = format_percent if figure == "cpu_percent" else format_milliseconds
    return Symptom(
        f"{pod_of(spread.highest_server)} has {show(spread.highest)} {_WHAT[figure]}, its peers"
        f" {show(_of_peers(spread))} (limit {_least_ratio(figure):g} times as much)",
        spread.highest_server,
    )


_WHAT = {
    "cpu_percent": "of its CPUs used",
    "request_milliseconds": "for each request",
    "shard_request_milliseconds": "for each request to a shard",
}


def _is_apart(spread: Spread) -> bool:
    above = spread.highest - spread.median
    if spread.highest <= _least_ratio(spread.figure) * _of_peers(spread):
        return False
    if spread.highest - _of_peers(spread) < _LEAST.get(spread.figure, _LEAST_MILLISECONDS):
        return False
    return spread.servers < _ENOUGH_NODES or above > MOST_DEVIATIONS * spread.deviation


def _least_ratio(figure: str) -> float:
    return _LEAST_RATIO.get(figure, _LEAST_RATIO_OF_TIMES)


def _of_peers(spread: Spread) -> float:
    """Return what the others have: the median, of two nodes the other one's."""
    return spread.lowest if spread.servers == 2 else spread.median
