from solrbench.telemetry.readings import figures_of
from solrbench.telemetry.zookeeper_monitor import parse_monitor

MNTR = (
    "zk_version\t3.9.4-7246445, built on 2025-08-19 19:53 UTC\nzk_server_state\tstandalone\n"
    "zk_avg_latency\t1.374\nzk_outstanding_requests\t{queued}\nzk_num_alive_connections\t2\n"
    "zk_watch_count\t16\nzk_znode_count\t59\nzk_packets_received\t{requests}\n"
    "zk_avg_updatelatency\t2.0\nzk_cnt_updatelatency\t{requests}\nzk_sum_updatelatency\t{spent}\n"
)


def test_latency_is_that_of_the_step() -> None:
    first = parse_monitor(MNTR.format(queued=0, requests=1000, spent=1000), "zk:2181", 0)
    last = parse_monitor(MNTR.format(queued=12, requests=1100, spent=3000), "zk:2181", 10)
    assert first is not None
    assert last is not None
    figures = figures_of([first, last]).figures
    assert (figures["updates"], figures["update_seconds"]) == (100, 2)
    assert (figures["watches"], figures["connections"], figures["znodes"]) == (16, 2, 59)
    assert figures["outstanding_requests_max"] == 12


def test_a_word_that_is_not_served_is_no_reading() -> None:
    text = "mntr is not executed because it is not in the whitelist.\n"
    assert parse_monitor(text, "zk:2181", 0) is None
    assert parse_monitor("", "zk:2181", 0) is None
