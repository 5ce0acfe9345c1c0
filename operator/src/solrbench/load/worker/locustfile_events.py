"""Counts what Locust's `request` event reports."""

from typing import Any

from solrbench.load.recording.name_limit import NameLimiter
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.slow_requests import SlowSample
from solrbench.load.validation.response_checks import RequestFailure, request_failure
from solrbench.load.worker.locustfile.request_event import RequestDetails, describe_event
from solrbench.load.workload.prepared_request import PreparedRequest


class EventRecorder:
    """Counts events under the request names that they bring, of which only so many are kept."""

    def __init__(self, recorder: StepRunRecorder, names: NameLimiter) -> None:
        self._recorder = recorder
        self._names = names
        self._requests: dict[str, PreparedRequest] = {}

    def record(
        self, name: str, started_ns: int, ended_ns: int, length: int | None, event: dict[str, Any]
    ) -> bool:
        """Count a request; say whether it is measured, which it is not if the ramp began it.

        `event` is what else the event brings: `exception`, `response` and what only the list of
        slow requests needs.
        """
        exception, response = event.pop("exception", None), event.pop("response", None)
        measured = started_ns >= self._recorder.origin_ns
        failed = _failure(exception, response)
        request = self._request(name)
        is_slow = self._recorder.record(request, started_ns, ended_ns, int(length or 0), failed)
        if measured and is_slow:
            details = describe_event(name, response, **event)
            self._recorder.add_slow_request(
                _slow_sample(details, request, started_ns, ended_ns, failed)
            )
        return measured

    def _request(self, name: str) -> PreparedRequest:
        kept = self._names.limit(name)
        request = self._requests.get(kept)
        if request is None:
            request = PreparedRequest(b"", self._recorder.add(kept), is_json=False)
            self._requests[kept] = request
        return request


def _slow_sample(
    details: RequestDetails,
    request: PreparedRequest,
    started_ns: int,
    ended_ns: int,
    failed: RequestFailure | None,
) -> SlowSample:
    return SlowSample(
        microseconds=(ended_ns - started_ns) // 1000,
        request=request._replace(body=details.query.encode("utf-8", "replace")),
        started_ns=started_ns,
        node=details.node,
        qtime_milliseconds=details.qtime_milliseconds,
        failed=failed,
    )


def _failure(exception: Any, response: Any) -> RequestFailure | None:
    """Return what a request failed of: a bad HTTP status if there is one, else the exception."""
    if exception is None or exception is False:
        return None
    status = getattr(response, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return request_failure(f"HTTP{status}", str(exception))
    kind = type(exception).__name__ if isinstance(exception, BaseException) else "Failed"
    return request_failure("CheckFailed" if kind == "CatchResponseError" else kind, str(exception))
