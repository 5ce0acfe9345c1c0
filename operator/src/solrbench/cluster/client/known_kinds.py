"""How the kinds of a cluster are addressed."""

from threading import Lock
from typing import Any

from kubernetes.dynamic import DynamicClient


class KnownKinds:
    """How the kinds of a cluster are addressed, kept once they are found; safe for threads.

    The discovery of the dynamic client is not, and forgets everything when a kind is not there.
    """

    def __init__(self, dynamic: DynamicClient) -> None:
        self._dynamic = dynamic
        self._lock = Lock()
        self._found: dict[tuple[str, str], Any] = {}

    def find(self, api_version: str, kind: str) -> Any:
        """Return the resource of a kind.

        Raises:
            ResourceNotFoundError: if the API server does not know it.

        """
        key = api_version, kind
        with self._lock:
            if key not in self._found:
                self._found[key] = self._dynamic.resources.get(api_version=api_version, kind=kind)
            return self._found[key]
