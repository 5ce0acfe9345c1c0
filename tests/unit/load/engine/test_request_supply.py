from solrbench.load.engine.request_supply import RequestSupply
from unit.load.builders import assignment, plain, target, workload

URL = "http://solr:8983/solr"


def supply(limit: int | None = None, order: str = "Sequential") -> RequestSupply:
    what = target(URL, queries=plain("a", "b"), spec=workload(order=order))
    return RequestSupply(what.requests.open_stream(assignment()), limit)


def test_supply_ends_with_its_number() -> None:
    found = supply(limit=3)
    assert [found.take(0) is None for _ in range(5)] == [False, False, False, True, True]
    assert (found.is_exhausted(0), found.is_closed(0), found.queries_exhausted) == (
        True,
        False,
        False,
    )
    assert found.used_numbers() == [3]


def test_supply_ends_at_its_time_and_not_before() -> None:
    found = supply()
    found.stops_ns = 100
    assert (found.is_exhausted(99), found.is_closed(99)) == (False, False)
    assert found.take(99) is not None
    assert found.take(100) is None
    assert (found.is_exhausted(100), found.is_closed(100)) == (True, True)
    assert found.used_numbers() == [1]


def test_supply_ends_with_queries_that_are_sent_once_each() -> None:
    found = supply(order="Once")
    assert [found.take(0) is None for _ in range(3)] == [False, False, True]
    assert (found.is_exhausted(0), found.queries_exhausted) == (True, True)


def test_supply_without_a_limit_goes_on() -> None:
    found = supply()
    assert all(found.take(0) is not None for _ in range(50))
