"""The operator's requests to the API server, by the official Python client of Kubernetes.

The client brings a pod's credentials, renewed tokens and the pool of connections; see
docs/adr/0016. The commands use `connection`, which needs no library of its size.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from kubernetes import client, config
from kubernetes.utils.keepalive import tcp_keepalive_socket_options
from urllib3.exceptions import HTTPError, ProtocolError

from solrbench.kube.connection import CONNECTIONS, TIMEOUT_SECONDS, Connection, Request
from solrbench.kube.kubeconfig import NoClusterError

_CHUNK_BYTES = 65_536


def open_officially() -> "OfficialConnection":
    """Return a connection to the cluster that this pod, or the kubeconfig, belongs to.

    It raises `NoClusterError` if there is no cluster to talk to.
    """
    try:
        config.load_incluster_config()
    except config.ConfigException:
        try:
            config.load_kube_config()
        except config.ConfigException as error:
            raise NoClusterError(str(error)) from error
    configuration = client.Configuration.get_default_copy()
    # urllib3 would send a request up to four times, a write long after its Lease was lost.
    configuration.retries = False
    # More threads than connections would make urllib3 open and drop one for each request.
    configuration.connection_pool_maxsize = CONNECTIONS
    # A watch whose connection dies without a word would show nothing for minutes.
    configuration.socket_options = tcp_keepalive_socket_options(idle=15, interval=5, count=3)
    return OfficialConnection(client.ApiClient(configuration))


class OfficialConnection(Connection):
    """Sends requests to one API server; safe for threads."""

    errors = (OSError, HTTPError, client.ApiException)
    closed = (ProtocolError,)

    def __init__(self, api: client.ApiClient) -> None:
        self._api = api
        self.server = str(api.configuration.host).rstrip("/")

    def exchange(self, request: Request, seconds: float) -> tuple[int, bytes]:
        """Send a request by the client's pool of connections."""
        call = self._serialized(request)
        response = self._api.call_api(*call, _request_timeout=(seconds, seconds)).response
        content: bytes = response.data
        response.release_conn()
        with suppress(TypeError, ValueError):  # a proxy in front may send none, or nonsense
            date = parsedate_to_datetime(response.headers.get("Date") or "")
            self.seconds_ahead = (date - datetime.now(UTC)).total_seconds()
        return response.status, content

    @contextmanager
    def stream(
        self, request: Request, seconds: float | None
    ) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Open a response and close it at the end of the block."""
        call, timeout = self._serialized(request), (TIMEOUT_SECONDS, seconds)
        response = self._api.call_api(*call, _request_timeout=timeout).response
        try:
            yield response.status, response.stream(_CHUNK_BYTES)
        finally:
            response.close()

    def _serialized(self, request: Request) -> Any:
        """Return a request as the arguments of the client's only function without a model."""
        return self._api.param_serialize(
            request.method,
            request.path,
            query_params=list(request.query.items()),
            header_params=dict(request.headers),
            body=request.body,
            auth_settings=["BearerToken"],
        )
