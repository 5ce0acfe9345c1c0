"""The operator's requests to the API server, by the official Python client of Kubernetes.

The client brings a pod's credentials, renewed tokens and the pool of connections; see
docs/adr/0016. The commands use `connection`, which needs no library of its size.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from kubernetes import client, config
from urllib3.exceptions import HTTPError

from solrbench.cluster.client.api_errors import ApiStatusError, UnreachableError, wrap_api_errors
from solrbench.cluster.client.cluster import Cluster
from solrbench.cluster.client.connection import (
    CONNECTIONS,
    JSON,
    TIMEOUT_SECONDS,
    Query,
    split_lines,
)
from solrbench.cluster.client.kubeconfig import NoClusterError
from solrbench.reasons.lifecycle import LifecycleReason

_CHUNK_BYTES = 65_536
_BEARER = ["BearerToken"]


def connect_officially(context: str | None = None) -> Cluster:
    """Return a client for the cluster that this pod, or the kubeconfig, belongs to.

    Args:
        context: the kubeconfig's context, the current one by default

    Raises:
        NoClusterError: if there is no cluster to talk to.

    """
    try:
        config.load_incluster_config()
    except config.ConfigException:
        try:
            config.load_kube_config(context=context)
        except config.ConfigException as error:
            raise NoClusterError(str(error)) from error
    configuration = client.Configuration.get_default_copy()
    configuration.connection_pool_maxsize = CONNECTIONS
    return Cluster(OfficialConnection(client.ApiClient(configuration)))


class OfficialConnection:
    """Sends requests to one API server; safe for threads."""

    def __init__(self, api: client.ApiClient) -> None:
        self._api = api

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return str(self._api.configuration.host).rstrip("/")

    @property
    def host(self) -> str:
        """The host in that URL."""
        return urlsplit(self.server).hostname or ""

    def send(  # noqa: PLR0913 - what HTTP requests have
        self,
        action: str,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        content_type: str = JSON,
        accept: str = JSON,
        seconds: float = TIMEOUT_SECONDS,
    ) -> bytes:
        """Return the body of the response.

        Raises:
            SolrbenchError: if there is none, or the server refuses; begins with `action`.

        """
        headers = {"Accept": accept} | ({} if body is None else {"Content-Type": content_type})
        with _wrap_errors(action):
            response = self._request(method, path, query, headers, body, (seconds, seconds))
            content: bytes = response.data
            response.release_conn()
            if response.status >= 400:
                raise ApiStatusError(response.status, content)
            return content

    def lines(self, action: str, path: str, query: Query, seconds: float | None) -> Iterator[bytes]:
        """Yield the lines of a response as they come; `seconds` as that of `ApiConnection`.

        Raises:
            SolrbenchError: as `send`.

        """
        timeout = (TIMEOUT_SECONDS, seconds)
        with _wrap_errors(action):
            response = self._request("GET", path, query, {"Accept": JSON}, None, timeout)
            try:
                if response.status >= 400:
                    raise ApiStatusError(response.status, response.data)
                yield from split_lines(response.stream(_CHUNK_BYTES))
            finally:
                response.close()

    def _request(  # noqa: PLR0913, PLR0917 - the same
        self,
        method: str,
        path: str,
        query: Query | None,
        headers: Mapping[str, str],
        body: Any,
        timeout: tuple[float, float | None],
    ) -> Any:
        serialized = self._api.param_serialize(
            method,
            path,
            query_params=list(_present(query or {})),
            header_params=dict(headers),
            body=body,
            auth_settings=_BEARER,
        )
        return self._api.call_api(*serialized, _request_timeout=timeout).response


@contextmanager
def _wrap_errors(action: str) -> Iterator[None]:
    with wrap_api_errors(action):
        try:
            yield
        except (HTTPError, client.ApiException) as error:
            text = f"{action}: {error}"
            raise UnreachableError(LifecycleReason.API_UNREACHABLE, text) from error


def _present(query: Query) -> Iterator[tuple[str, str]]:
    for key, value in query.items():
        if value is not None:
            yield key, _text(value)


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
