"""Probe the target once before measuring."""

import time
from collections.abc import Callable, Sequence

import httpx

from solrbench.http_auth import (
    NO_AUTH,
    HttpAuth,
    certificate_problem,
)
from solrbench.load.errors import LoadError
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason

_ATTEMPT_SECONDS = 5.0
_PAUSE_SECONDS = 0.5


def wait_for_target(  # noqa: PLR0913 - what to probe, for how long, and the means
    urls: Sequence[str],
    seconds: float,
    pause: Callable[[float], None],
    clock: Callable[[], float] = time.monotonic,
    *,
    access: HttpAuth = NO_AUTH,
    endpoint: str = "",
) -> None:
    """Return as soon as one node sends any HTTP response; `endpoint` names them in the error.

    Raises:
        LoadError: `TargetUnreachable` if none does within `seconds`; at once
            `CertificateNotTrusted` or `AuthenticationFailed`

    """
    deadline = clock() + seconds
    last = "no attempt"
    with access.open_client(min(_ATTEMPT_SECONDS, seconds)) as http:
        while True:
            for url in urls:
                try:
                    _check(url, http.get(url).status_code)
                except httpx.HTTPError as error:
                    last = _failure_text(url, error)
                else:
                    return
            if clock() >= deadline:
                raise LoadError(
                    TargetReason.TARGET_UNREACHABLE,
                    f"none of {len(urls)} nodes{endpoint} responded within {seconds:g} s;"
                    f" last {last}; check that Solr runs, and network policies for the load pods",
                )
            pause(_PAUSE_SECONDS)


def _check(url: str, status: int) -> None:
    if status == 401:
        raise LoadError(
            LifecycleReason.AUTHENTICATION_FAILED,
            f"{url}: HTTP {status}; check target.existing.basicAuth.secret.name",
        )


def _failure_text(url: str, error: httpx.HTTPError) -> str:
    if problem := certificate_problem(error):
        raise LoadError(
            LifecycleReason.CERTIFICATE_NOT_TRUSTED,
            f"{url}: {problem}; check target.existing.tls.caSecret",
        ) from error
    return f"{url}: {error}"
