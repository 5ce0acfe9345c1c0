import asyncio
import time
from collections.abc import Callable

import pytest

from solrbench.load.engine import precise_timer
from solrbench.load.engine.precise_timer import LoopTimer, TimerFdTimer, make_timer

Maker = Callable[[asyncio.AbstractEventLoop, Callable[[], None]], TimerFdTimer | LoopTimer]


@pytest.mark.parametrize("maker", [TimerFdTimer, LoopTimer, make_timer])
async def test_timer_fires_once_and_never_early(maker: Maker) -> None:
    rang: list[int] = []
    again = asyncio.Event()

    def ring() -> None:
        rang.append(time.perf_counter_ns())
        if len(rang) < len(wanted):
            clock.set(wanted[len(rang)])
        else:
            # Expirations that were not read must not fire again.
            clock.set(2**62)
            again.set()

    now = time.perf_counter_ns()
    wanted = [now + 1_000_000 * n + 137_000 for n in (3, 4, 9)] + [now + 9_200_000, now]
    clock = maker(asyncio.get_running_loop(), ring)
    clock.set(wanted[0])
    await asyncio.wait_for(again.wait(), 5)
    await asyncio.sleep(0.02)
    clock.close()
    clock.close()
    assert len(rang) == len(wanted)
    assert all(at >= due for at, due in zip(rang, wanted, strict=True))


@pytest.mark.parametrize("maker", [TimerFdTimer, LoopTimer])
async def test_closed_timer_does_not_fire(maker: Maker) -> None:
    rang: list[bool] = []
    clock = maker(asyncio.get_running_loop(), lambda: rang.append(True))
    clock.set(time.perf_counter_ns() + 5_000_000)
    clock.close()
    await asyncio.sleep(0.03)
    assert rang == []


async def test_loop_stands_in_where_the_kernel_has_no_such_timer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> TimerFdTimer:
        raise AttributeError("timerfd_settime")

    monkeypatch.setattr(precise_timer, "TimerFdTimer", refuse)
    assert isinstance(make_timer(asyncio.get_running_loop(), lambda: None), LoopTimer)
