"""How the kinds of a cluster are addressed."""

from threading import Lock

import orjson

from solrbench.cluster.client.api_errors import KindNotServedError, NotFoundError
from solrbench.cluster.client.connection import TIMEOUT_SECONDS, Connection
from solrbench.reasons.api_server import ApiServerReason


class KnownKinds:
    """The paths of the kinds of a cluster, kept once they are found; safe for threads.

    What is not there is asked for each time: its definition may come.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = Lock()
        self._found: dict[tuple[str, str], tuple[str, bool]] = {}

    def path(
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        name: str | None = None,
        seconds: float = TIMEOUT_SECONDS,
    ) -> str:
        """Return the path of an object, or of all objects of a kind.

        Raises:
            KindNotServedError: if the API server does not know the kind.

        """
        with self._lock:
            if (api_version, kind) not in self._found:
                self._found[api_version, kind] = self._look(api_version, kind, seconds)
            plural, namespaced = self._found[api_version, kind]
        place = [f"namespaces/{namespace}"] if namespaced and namespace is not None else []
        return "/".join([_root(api_version), *place, plural, *([name] if name else [])])

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Return whether objects of a kind are in namespaces.

        Raises:
            KindNotServedError: if the API server does not know the kind.

        """
        self.path(api_version, kind, None)
        return self._found[api_version, kind][1]

    def _look(self, api_version: str, kind: str, seconds: float) -> tuple[str, bool]:
        try:
            body = self._connection.send(
                f"looking for {kind} of {api_version}", "GET", _root(api_version), seconds=seconds
            )
        except NotFoundError:
            body = b"{}"
        for each in orjson.loads(body).get("resources") or []:
            if each["kind"] == kind and "/" not in each["name"]:
                return each["name"], each["namespaced"]
        raise KindNotServedError(
            ApiServerReason.KIND_NOT_SERVED, f"the API server has no kind {kind} of {api_version}"
        )


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
