"""Does anybody answer? Asked once, before the first request that counts."""

import time
from collections.abc import Callable, Sequence

import httpx

from solrbench.load.failures import LoadFailure

_ATTEMPT_SECONDS = 5.0
_PAUSE_SECONDS = 0.5


def wait_for_target(
    urls: Sequence[str],
    seconds: float,
    pause: Callable[[float], None],
    clock: Callable[[], float] = time.monotonic,
    door: str = "",
) -> None:
    """Return as soon as one node answers anything in HTTP; `door` names them in the error.

    Raises:
        LoadFailure: `TargetUnreachable` if none does within `seconds`

    """
    deadline = clock() + seconds
    last = "no attempt"
    with httpx.Client(timeout=min(_ATTEMPT_SECONDS, seconds), trust_env=False) as http:
        while True:
            for url in urls:
                try:
                    http.get(url)
                except httpx.HTTPError as error:
                    last = f"{url}: {error}"
                else:
                    return
            if clock() >= deadline:
                raise LoadFailure(
                    "TargetUnreachable",
                    f"none of {len(urls)} nodes{door} answered within {seconds:g} s; last {last}",
                )
            pause(_PAUSE_SECONDS)
