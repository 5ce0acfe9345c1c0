from typing import Any

import pytest

from solrbench.api.v1alpha1.workload.workload import Workload
from solrbench.load.schedule.arrivals import ArrivalRate
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.drain_time import longest_drain_seconds
from unit.load.builders import assignment

FILE = {"configMap": {"name": "q"}}
QUERIES = {"name": "plain", "queries": FILE}


def loan(*think_times: dict[str, Any]) -> dict[str, Any]:
    rest = [{"name": f"r{n}", "thinkTime": think} for n, think in enumerate(think_times)]
    return {"name": "loan", "transaction": {"requests": [{"name": "first"}, *rest]}}


def open_loop() -> Assignment:
    rate = ArrivalRate(requests_per_second=1, distribution="Uniform", max_in_flight=1, seconds=9)
    return assignment().model_copy(update={"open_loop": rate})


@pytest.mark.parametrize(
    ("entries", "seconds"),
    [
        # One second to wait for a connection and one for the response, for each request.
        ([QUERIES], 2),
        ([QUERIES, loan({"constantMilliseconds": 20_000}, {"constantMilliseconds": 20_000})], 46),
        ([loan({"uniform": {"minMilliseconds": 1, "maxMilliseconds": 3000}})], 7),
        ([loan({"exponentialMeanMilliseconds": 1000})], pytest.approx(4 + 36.74, abs=0.01)),
    ],
)
def test_arrivals_are_carried_to_their_end(entries: list[dict[str, Any]], seconds: float) -> None:
    spec = Workload.model_validate({"mix": entries, "timeoutSeconds": 1})
    assert longest_drain_seconds(open_loop(), spec) == seconds


def test_users_end_with_the_request_under_way() -> None:
    spec = Workload.model_validate({"mix": [loan({"constantMilliseconds": 20_000})]})
    assert longest_drain_seconds(assignment(seconds=9), spec) == 60
