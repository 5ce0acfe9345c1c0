"""ZooKeeper's `mntr`: one line for each number, name and value with a tab between them.

See "The Four Letter Words" in ZooKeeper's Administrator's Guide. Latencies of reads and updates are
sums and counts since the start (3.6 and later), so their differences are those of a step run;
`zk_avg_latency` is of all requests ever.
"""

from solrbench.telemetry.readings import Reading

_COUNTERS = {
    "zk_packets_received": ("requests", 1.0),
    "zk_sum_readlatency": ("read_seconds", 1000.0),
    "zk_cnt_readlatency": ("reads", 1.0),
    "zk_sum_updatelatency": ("update_seconds", 1000.0),
    "zk_cnt_updatelatency": ("updates", 1.0),
    "zk_sum_fsynctime": ("fsync_seconds", 1000.0),
    "zk_cnt_fsynctime": ("fsyncs", 1.0),
}
_GAUGES = {
    "zk_watch_count": "watches",
    "zk_num_alive_connections": "connections",
    "zk_znode_count": "znodes",
    "zk_avg_latency": "latency_since_start_milliseconds",
}
_PEAKS = {"zk_outstanding_requests": "outstanding_requests"}


def parse_monitor(text: str, server: str, moment: float) -> Reading | None:
    """Return the reading of a server; None if it did not say anything."""
    pairs = (line.split("\t", 1) for line in text.splitlines())
    numbers = {
        pair[0]: number
        for pair in pairs
        if len(pair) == 2 and (number := _number(pair[1])) is not None
    }
    found = {
        name: numbers[key] / scale for key, (name, scale) in _COUNTERS.items() if key in numbers
    }
    if not found:
        return None
    return Reading(
        server=server,
        moment=moment,
        counters=found,
        gauges={name: numbers[key] for key, name in _GAUGES.items() if key in numbers},
        peaks={name: numbers[key] for key, name in _PEAKS.items() if key in numbers},
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
