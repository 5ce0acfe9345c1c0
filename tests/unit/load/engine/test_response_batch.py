"""Answers that come at once are stamped at once, then followed by requests, then judged."""

import asyncio
from typing import Any, cast

from solrbench.load.engine.http_client import Asker
from solrbench.load.engine.response_batch import Ended, turn_of
from solrbench.load.workload.prepared_request import PreparedRequest

REQUEST = PreparedRequest(b"q=a", 0, json=True)


def ended(began_ns: int) -> Ended:
    return REQUEST, began_ns, began_ns + 10, 550, None, (200, b"{}")


class Taker:
    def __init__(self, log: list[Any]) -> None:
        self.is_dropped = False
        self._log = log

    def as_asker(self) -> Asker:
        return cast(Asker, self)

    def hasten(self, *given: Any) -> None:
        self._log.append(("hasten", self, *given))

    def completed(self, *given: Any) -> None:
        self._log.append(("completed", self, *given))


def test_all_are_followed_before_the_first_is_judged_after_the_turn() -> None:
    log: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        turn, takers = turn_of(loop), [Taker(log) for _ in range(3)]
        for place, taker in enumerate(takers):
            turn.add(taker.as_asker(), ended(place))
        assert log == []
        await asyncio.sleep(0)
        assert [each[:3] for each in log[:3]] == [("hasten", taker, REQUEST) for taker in takers]
        assert log[3:] == [
            *(("completed", taker, ended(place)) for place, taker in enumerate(takers)),
        ]
        turn.add(takers[0].as_asker(), ended(7))
        await asyncio.sleep(0)
        assert len(log) == 8

    asyncio.run(main())


def test_who_was_dropped_in_between_hears_nothing() -> None:
    log: list[Any] = []

    async def main() -> None:
        turn, taker = turn_of(asyncio.get_running_loop()), Taker(log)
        turn.add(taker.as_asker(), ended(7))
        taker.is_dropped = True
        await asyncio.sleep(0)

    asyncio.run(main())
    assert log == []


def test_each_loop_has_a_turn_of_its_own() -> None:
    one, other = asyncio.new_event_loop(), asyncio.new_event_loop()
    assert turn_of(one) is turn_of(one)
    assert turn_of(one) is not turn_of(other)
    one.close()
    other.close()
