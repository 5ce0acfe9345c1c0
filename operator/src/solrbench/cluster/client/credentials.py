"""How a request says who sends it: tokens, passwords, and programs that give them.

Programs follow https://kubernetes.io/docs/reference/access-authn-authz/authentication/
("client-go credential plugins").
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from solrbench.cluster.client.kubeconfig import ClusterAccess, Entry, NoClusterError

TOKEN_SECONDS = 60.0
"""A token in a file is read again after so long: the kubelet replaces it."""
PROGRAM_SECONDS = 120.0
"""What a program may take: it may ask for a password, or open a browser."""
EXEC_VERSIONS = ("v1", "v1beta1")
EXEC_GROUP = "client.authentication.k8s.io"

Credential = dict[str, Any]


class TokenAuth(httpx.Auth):
    """A bearer token that may change; it is fetched again once when the server refuses it.

    Args:
        fetch: returns the token, and until when it may be used by the monotonic clock

    """

    def __init__(self, fetch: Callable[[], tuple[str, float]]) -> None:
        self._fetch = fetch
        self._token, self._until = "", 0.0

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send the token, and a new one if it is refused."""
        fresh = time.monotonic() >= self._until
        self._authorize(request, fetch=fresh)
        response = yield request
        if response.status_code == 401 and not fresh:
            self._authorize(request, fetch=True)
            yield request

    def _authorize(self, request: httpx.Request, *, fetch: bool) -> None:
        if fetch:
            self._token, self._until = self._fetch()
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"


def auth_of(access: ClusterAccess, credential: Credential | None) -> httpx.Auth | None:
    """Return what is sent with each request; `None` for client certificates, and for nothing.

    Args:
        access: the user
        credential: what the user's program gave, if there is one

    """
    user = access.user
    if credential is not None:
        return TokenAuth(_token_of_program(access, credential))
    if user.get("tokenFile"):
        return TokenAuth(lambda: _token_of_file(Path(user["tokenFile"])))
    if user.get("token"):
        return TokenAuth(lambda: (str(user["token"]), float("inf")))
    if user.get("username"):
        return httpx.BasicAuth(user["username"], user.get("password") or "")
    return None


def _token_of_file(file: Path) -> tuple[str, float]:
    try:
        return file.read_text("utf-8").strip(), time.monotonic() + TOKEN_SECONDS
    except OSError as error:
        raise NoClusterError(f"the token cannot be read: {error}; correct tokenFile") from error


def _token_of_program(access: ClusterAccess, first: Credential) -> Callable[[], tuple[str, float]]:
    unused = [first]

    def fetch() -> tuple[str, float]:
        credential = unused.pop() if unused else run_program(access)
        return str(credential.get("token") or ""), _expiry(credential)

    return fetch


def _expiry(credential: Credential) -> float:
    """Return until when a credential may be used, by the monotonic clock."""
    text = credential.get("expirationTimestamp")
    if not text:
        return float("inf")
    left = datetime.fromisoformat(str(text)) - datetime.now(UTC)
    return time.monotonic() + left.total_seconds()


def run_program(access: ClusterAccess) -> Credential:
    """Return what the user's program prints as its status: a token, a certificate, or both.

    Raises:
        NoClusterError: if it cannot be run, fails, or prints something else.

    """
    program: Entry = access.user["exec"]
    command = [str(program.get("command")), *map(str, program.get("args") or [])]
    group, _, version = str(program.get("apiVersion")).partition("/")
    if group != EXEC_GROUP or version not in EXEC_VERSIONS:
        raise NoClusterError(
            f"{command[0]} is called with {group}/{version}, which is not supported; use"
            f" {EXEC_GROUP}/{EXEC_VERSIONS[0]} in the kubeconfig"
        )
    variables = {each["name"]: each["value"] for each in program.get("env") or []}
    info = {"KUBERNETES_EXEC_INFO": json.dumps(_exec_info(access, program))}
    try:
        done = subprocess.run(  # noqa: S603  the user's own kubeconfig names it
            command,
            stdout=subprocess.PIPE,
            env={**os.environ, **variables, **info},
            timeout=PROGRAM_SECONDS,
            check=True,
        )
        credential: Credential = json.loads(done.stdout)["status"]
    except (OSError, subprocess.SubprocessError) as error:
        hint = f"; {program['installHint']}" if program.get("installHint") else ""
        raise NoClusterError(f"the program for credentials failed: {error}{hint}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise NoClusterError(f"{command[0]} printed no credential") from error
    return credential


def _exec_info(access: ClusterAccess, program: Entry) -> Entry:
    spec: Entry = {"interactive": True}
    if program.get("provideClusterInfo"):
        spec["cluster"] = {"server": access.server} | {
            key: access.cluster[key]
            for key in ("certificate-authority-data", "tls-server-name", "proxy-url")
            if key in access.cluster
        }
    return {"apiVersion": program["apiVersion"], "kind": "ExecCredential", "spec": spec}
