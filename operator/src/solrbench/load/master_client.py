"""The load master as the operator sees it: state, finished steps, acknowledgements."""

from http import HTTPStatus
from typing import Self, TypeVar

import httpx2 as httpx
from pydantic import BaseModel

from solrbench.contract.foreign import MAX_VALUES_BYTES, ForeignDataError, read
from solrbench.contract.load_plan import OTHER_VERSION_REMEDY, WEB_PORT, LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.storage import MAX_RESULT_BYTES
from solrbench.errors import PermanentError, TemporaryError
from solrbench.net.deadline import AddressCheck, url_host
from solrbench.net.http import ResponseTooLargeError, create_client, fetch
from solrbench.net.token import TOKEN_HEADER
from solrbench.reasons.load import LoadReason

TIMEOUT_SECONDS = 5.0
RESULT_SECONDS = 30.0
MAX_STATE_BYTES = 1 << 20
MAX_STATE_MEMORY = 4 << 20
"""What the values of a state may take; they are some dozen."""

CHANGED_PLAN_REMEDY = (
    "the ConfigMap was changed while the load ran: delete the pod of the load master, which begins"
    " a new attempt"
)

Document = TypeVar("Document", bound=BaseModel)


class LoadMasterClient:
    """Sends requests to a load master, with the token of its plan; `check` looks at its address."""

    def __init__(self, host: str, token: str, check: AddressCheck | None = None) -> None:
        base = f"http://{url_host(host)}:{WEB_PORT}/solrbench"
        self._http = create_client({TOKEN_HEADER: token}, base_url=base, check=check)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def state(self) -> LoadState:
        """Return what the master does.

        It raises `TemporaryError` if it does not respond; it starts, is busy or is just gone;
        with `VersionMismatch` if its response is that of another version.
        """
        return _parse(LoadState, self._send("GET", "/state"), "state", MAX_STATE_MEMORY)

    def result(self, step_run_id: str) -> StepRunResult:
        """Return the document of a finished step run.

        It raises `TemporaryError` as `state`, and `PermanentError` with `ResultTooLarge` if it has
        more bytes than can be stored.
        """
        body = self._send("GET", f"/results/{step_run_id}", MAX_RESULT_BYTES, RESULT_SECONDS)
        document = _parse(StepRunResult, body, "result")
        if document.id != step_run_id:
            text = f"the result of {step_run_id} says that it is another's; {OTHER_VERSION_REMEDY}"
            raise TemporaryError(LoadReason.VERSION_MISMATCH, text)
        return document

    def unfinished(self) -> StepRunResult | None:
        """Return the step run under way as far as it is measured, if any; errors as `result`."""
        body = self._send("GET", "/unfinished", MAX_RESULT_BYTES, RESULT_SECONDS, may_miss=True)
        return _parse(StepRunResult, body, "result") if body else None

    def acknowledge(self, step_run_id: str) -> None:
        """Acknowledge to the master that a document is stored, so that it need not keep it.

        It raises `TemporaryError` if the master does not respond; the next reconcile repeats it.
        """
        self._send("POST", f"/results/{step_run_id}/ack")

    def _send(
        self,
        method: str,
        path: str,
        max_bytes: int = MAX_STATE_BYTES,
        seconds: float = TIMEOUT_SECONDS,
        *,
        may_miss: bool = False,
    ) -> bytes:
        try:
            response = fetch(self._http, method, path, max_bytes=max_bytes, seconds=seconds)
            if may_miss and response.status_code == HTTPStatus.NOT_FOUND:
                return b""
            if response.status_code == HTTPStatus.UNAUTHORIZED:
                # It would be asked in vain for ever: the pods read their plan at the start alone.
                text = f"the load master refuses the token of its ConfigMap; {CHANGED_PLAN_REMEDY}"
                raise TemporaryError(LoadReason.VERSION_MISMATCH, text)
            return response.raise_for_status().content
        except ResponseTooLargeError as error:
            raise PermanentError(
                LoadReason.RESULT_TOO_LARGE,
                f"{path} of the load master has more than {max_bytes} bytes; make the step shorter,"
                " or send fewer request names",
            ) from error
        except httpx.HTTPError as error:
            text = f"{path}: {error!r}"
            raise TemporaryError(LoadReason.LOAD_MASTER_UNREACHABLE, text) from error


def _parse(
    kind: type[Document], body: bytes, what: str, max_memory: int = MAX_VALUES_BYTES
) -> Document:
    try:
        return read(kind, body, max_memory)
    except ForeignDataError as error:
        # Another version is the likely cause; nothing of what a pod sent is quoted.
        text = f"the response is no {what}: {error}; {OTHER_VERSION_REMEDY}"
        raise TemporaryError(LoadReason.VERSION_MISMATCH, text) from error
