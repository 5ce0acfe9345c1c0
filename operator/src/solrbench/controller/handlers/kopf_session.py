"""How kopf reaches the API server: whatever a list or watch is answered, the operator goes on."""

from typing import Any

import kopf
from aiohttp import (
    ClientConnectionError,
    ClientHandlerType,
    ClientPayloadError,
    ClientRequest,
    ClientResponse,
    ClientSession,
    TCPConnector,
)

from solrbench.api.kinds import KINDS

_WATCHED = frozenset(kind.plural for kind in KINDS)
_EXPIRED = 410
_LEFT_TO_KOPF = frozenset({401, 403, 429})
"""Of those that blame the request: kopf logs in again, or tries again by itself."""


async def log_in(**arguments: Any) -> kopf.AiohttpSession | None:
    """Return a session of the pod's service account, or else of the kubeconfig."""
    info = kopf.login_with_service_account(**arguments) or kopf.login_with_kubeconfig(**arguments)
    return None if info is None else open_session(info)


def open_session(info: kopf.ConnectionInfo) -> kopf.AiohttpSession:
    """Return a session as kopf makes it, with watches that do not end the operator.

    Args:
        info: where the API server is, and the credentials

    """
    session = ClientSession(
        connector=TCPConnector(limit=0, ssl=info.as_ssl_context()),
        headers=info.as_http_headers(),
        proxy=info.proxy_url,
        trust_env=info.trust_env,
        middlewares=(keep_watching,),
    )
    return kopf.AiohttpSession(
        server=info.server,
        default_namespace=info.default_namespace,
        priority=info.priority,
        expiration=info.expiration,
        aiohttp_session=session,
    )


async def keep_watching(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """Let kopf list or watch again where it would end the operator.

    A definition that is deleted and made again, as some upgrades and backups do, answers 404 for
    that time; a list that took longer than the API server keeps its version answers 410.

    Raises:
        ClientConnectionError: for 404 and the like; kopf asks again after a pause.
        ClientPayloadError: for a list that expired; kopf begins it anew.

    """
    response = await handler(request)
    if request.method != "GET" or request.url.name not in _WATCHED:
        return response
    if not 400 <= response.status < 500 or response.status in _LEFT_TO_KOPF:
        return response
    response.release()
    text = f"{request.url.path}: HTTP status {response.status}"
    if response.status == _EXPIRED and "watch" not in request.url.query:
        raise ClientPayloadError(text)
    raise ClientConnectionError(text)
