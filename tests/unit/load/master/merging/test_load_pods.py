"""Tests of `load.master.merging.load_pods`."""

from solrbench.load.master.merging.load_pods import add_load_pods
from solrbench.results.model.telemetry import ServerFigures, Telemetry


def pod(name: str, component: str, cpu_seconds: float) -> ServerFigures:
    figures = {"cpu_seconds": cpu_seconds, "throttled_percent": cpu_seconds}
    return ServerFigures(server=name, component=component, seconds=2.0, readings=2, figures=figures)


def test_workers_stand_beside_the_pods_that_the_master_read() -> None:
    read = Telemetry(pods=[pod("solr-0", "solr", 9.0), pod("master", "load-master", 1.0)])
    found = add_load_pods(read, [pod("worker-0", "load-worker", 3.0), None])
    assert found is not None
    assert [each.server for each in found.pods] == ["solr-0", "master", "worker-0"]
    spreads = {each.figure: each for each in found.spreads["load-pods"]}
    assert spreads["cpu_seconds"].total == 2.0  # per second, without Solr
    assert spreads["throttled_percent"].highest_server == "worker-0"


def test_without_telemetry_or_pods_nothing_is_added() -> None:
    assert add_load_pods(None, [pod("worker-0", "load-worker", 3.0)]) is None
    read = Telemetry()
    assert add_load_pods(read, [None]) is read
