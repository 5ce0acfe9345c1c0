"""The load master as the operator sees it: state, finished steps, acknowledgements."""

from typing import Self

import httpx
from pydantic import ValidationError

from solrbench.errors import TemporaryError
from solrbench.plan.load_plan import WEB_PORT, LoadState
from solrbench.reasons.load import LoadReason
from solrbench.results.model.step_result import StepRunResult

TIMEOUT_SECONDS = 5.0


class LoadMasterClient:
    """Asks the load master in a pod."""

    def __init__(self, host: str) -> None:
        self._http = httpx.Client(
            base_url=f"http://{host}:{WEB_PORT}/solrbench",
            timeout=TIMEOUT_SECONDS,
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def state(self) -> LoadState:
        """Return what the master does.

        Raises:
            TemporaryError: if it does not answer; it starts, is busy or is just gone.

        """
        try:
            return LoadState.model_validate_json(self._send("GET", "/state"))
        except ValidationError as error:
            raise TemporaryError(
                LoadReason.LOAD_MASTER_UNREACHABLE, f"the response is no state: {error}"
            ) from error

    def result(self, step_run_id: str) -> StepRunResult:
        """Return the document of a finished step run.

        Raises:
            TemporaryError: if the master does not answer, or with something else.

        """
        try:
            return StepRunResult.model_validate_json(self._send("GET", f"/results/{step_run_id}"))
        except ValidationError as error:
            raise TemporaryError(
                LoadReason.LOAD_MASTER_UNREACHABLE, f"the response is no result: {error}"
            ) from error

    def acknowledge(self, step_run_id: str) -> None:
        """Acknowledge to the master that a document is stored, so that it need not keep it.

        Raises:
            TemporaryError: if the master does not answer; the next reconcile repeats it.

        """
        self._send("POST", f"/results/{step_run_id}/ack")

    def _send(self, method: str, path: str) -> bytes:
        try:
            return self._http.request(method, path).raise_for_status().content
        except httpx.HTTPError as error:
            raise TemporaryError(
                LoadReason.LOAD_MASTER_UNREACHABLE, f"{path}: {error!r}"
            ) from error
