"""Finished documents, kept until the operator has stored them elsewhere."""

import logging
from pathlib import Path

from gevent.event import Event

from solrbench.results.model.step_result import StepRunResult

_logger = logging.getLogger(__name__)


class ResultStore:
    """Documents in memory, with a copy on disk for who has to rescue them by hand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._documents: dict[str, str] = {}
        self._acknowledged: set[str] = set()
        self._empty = Event()
        self._empty.set()

    @property
    def unacknowledged(self) -> list[str]:
        """Ids of the documents that wait, in the order they were finished."""
        return list(self._documents)

    def add(self, document: StepRunResult) -> None:
        """Keep a document."""
        text = document.model_dump_json(by_alias=True)
        self._documents[document.id] = text
        self._empty.clear()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file(document.id).write_text(text)
        except OSError as error:
            _logger.warning("step_run=%s no copy on disk: %s", document.id, error)

    def get(self, step_run_id: str) -> str | None:
        """Return a document as JSON; None if it is not there or no longer."""
        return self._documents.get(step_run_id)

    def acknowledge(self, step_run_id: str) -> bool:
        """Forget a document that is stored elsewhere; False if there never was one.

        An acknowledgement may be repeated: its response can get lost.
        """
        if step_run_id in self._documents:
            del self._documents[step_run_id]
            self._acknowledged.add(step_run_id)
            self._remove_copy(step_run_id)
        if not self._documents:
            self._empty.set()
        return step_run_id in self._acknowledged

    def wait_until_empty(self, seconds: float | None = None) -> None:
        """Wait until everything is acknowledged, at most `seconds`."""
        self._empty.wait(seconds)

    def _remove_copy(self, step_run_id: str) -> None:
        try:
            self._file(step_run_id).unlink(missing_ok=True)
        except OSError as error:
            # It was never written, and said so then, or goes with the pod.
            _logger.debug("step_run=%s copy on disk stays: %s", step_run_id, error)

    def _file(self, step_run_id: str) -> Path:
        return self._folder / f"{step_run_id}.json"
