"""A server with some places and a queue before them; it keeps how long it served each request.

`python -m bench.servers.places PORT PLACES MEAN_SECONDS`: service times are log-normal with a
standard deviation as long as their mean. `GET /known` gives them in seconds, as they were: from
the time at which a request got its place to the time at which the place was free again.
"""

import asyncio
import math
import random
import sys
import time
from collections import deque

import uvloop

from bench.servers.delays import ANSWER, Stamped, accept, figures_response, is_query


class Places:
    """The places and the queue."""

    def __init__(self, places: int, mean_seconds: float) -> None:
        self._known: list[float] = []
        self._free = places
        self._queue: deque[Stamped] = deque()
        self._draw = random.Random(1)
        square = math.log(2.0)
        self._sigma, self._mu = math.sqrt(square), math.log(mean_seconds) - square / 2

    def serve(self, client: Stamped, data: bytes, _at_ns: int) -> None:
        """Serve a request, or let it wait for a place; one for the figures gets them at once."""
        if not is_query(data):
            client.respond_long(figures_response(self._known))
        elif self._free:
            self._begin(client)
        else:
            self._queue.append(client)

    def _begin(self, client: Stamped) -> None:
        self._free -= 1
        seconds = self._draw.lognormvariate(self._mu, self._sigma)
        asyncio.get_running_loop().call_later(seconds, self._end, client, time.perf_counter())

    def _end(self, client: Stamped, began: float) -> None:
        self._free += 1
        self._known.append(time.perf_counter() - began)
        client.respond(ANSWER)
        if self._queue:
            self._begin(self._queue.popleft())


if __name__ == "__main__":
    number, places, mean = sys.argv[1:]
    uvloop.run(accept(int(number), Places(int(places), float(mean)).serve))
