"""Which cluster is meant, and as which user: kubeconfig files first, then a pod's own account.

The rules are kubectl's: `KUBECONFIG` may name several files, whose entries are merged, the first of
a name wins; paths in a file are relative to it. See
https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/ and, for
tokens, passwords and programs that give them, https://kubernetes.io/docs/reference/access-authn-
authz/authentication/ ("client-go credential plugins").
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import yaml

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")

_PATHS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_LISTS = (("clusters", "cluster"), ("users", "user"), ("contexts", "context"))

Entry = dict[str, Any]


class NoClusterError(Exception):
    """There is no cluster to talk to: no kubeconfig, or one without what is asked for."""


@dataclass(frozen=True)
class ClusterAccess:
    """One cluster as one user; `cluster` and `user` have the entries under kubeconfig's names."""

    context: str | None
    """Its name in the kubeconfig; `None` for a pod's own account."""
    server: str
    namespace: str
    """The one that is meant where none is given."""
    # Both may hold keys and tokens, which must not get into a log.
    cluster: Entry = field(repr=False)
    user: Entry = field(repr=False)


def find_access(
    context: str | None = None,
    kubeconfig: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    service_account: Path = SERVICE_ACCOUNT,
) -> ClusterAccess:
    """Return the cluster and user that are meant: by `kubeconfig`, `KUBECONFIG` or a pod's account.

    It raises `NoClusterError` if there is none; it says what to set.
    """
    merged: Entry = {plural: {} for plural, _ in _LISTS} | {"current-context": None}
    for content in map(_read, _files(kubeconfig, environment)):
        merged["current-context"] = merged["current-context"] or content.get("current-context")
        for plural, single in _LISTS:
            for each in content.get(plural) or []:
                merged[plural].setdefault(each.get("name"), each.get(single) or {})
    wanted = context or merged["current-context"]
    if wanted:
        return _select(merged, wanted)
    # As with kubectl, a pod's own account is the last resort: a kubeconfig in a pod is on purpose.
    if kubeconfig is None and (service_account / "token").exists():
        return _of_pod(environment, service_account)
    raise NoClusterError(
        "there is no kubeconfig with a current context; set KUBECONFIG, or give --kubeconfig or"
        " --context"
    )


def _files(kubeconfig: Path | None, environment: Mapping[str, str]) -> list[Path]:
    if kubeconfig is not None:
        return [kubeconfig]
    named = [Path(each) for each in environment.get("KUBECONFIG", "").split(os.pathsep) if each]
    folder = environment.get("HOME") or environment.get("USERPROFILE")
    default = (Path(folder) if folder else Path.home()) / ".kube/config"
    # kubectl skips files of the list that do not exist, too.
    files = [each for each in named or [default] if each.exists()]
    if named and not files:
        raise NoClusterError(f"KUBECONFIG names {named[0]}, which does not exist; correct it")
    return files


def _read(file: Path) -> Entry:
    try:
        content = yaml.safe_load(file.read_text("utf-8")) or {}
    except OSError as error:
        raise NoClusterError(
            f"kubeconfig {file} cannot be read: {error.strerror}; correct KUBECONFIG or"
            " --kubeconfig"
        ) from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        text = " ".join(str(error).split())  # those of YAML have several lines
        raise NoClusterError(f"kubeconfig {file} cannot be read: {text}") from error
    if not isinstance(content, dict):
        raise NoClusterError(f"{file} is not a kubeconfig: not an object; correct it")
    for plural, single in _LISTS:
        for each in content.get(plural) or []:
            entry = each.get(single) or {}
            for path in _PATHS:
                if entry.get(path):
                    entry[path] = str(file.parent / entry[path])  # absolute ones stay
            command = str((entry.get("exec") or {}).get("command") or "")
            if os.sep in command:  # a bare name is looked up in PATH
                entry["exec"]["command"] = str(file.parent / command)
    return content


def _select(merged: Entry, name: str) -> ClusterAccess:
    context = _named(merged, "contexts", name, "context")
    cluster = _named(merged, "clusters", context.get("cluster"), f"cluster of context {name},")
    user = context.get("user")
    server = str(cluster.get("server") or "")
    what = f"cluster {context.get('cluster')} of the kubeconfig has"
    if not server:
        raise NoClusterError(f"{what} no server; set it")
    if not server.startswith(("https://", "http://")):
        raise NoClusterError(f"{what} server {server}; write https://HOST:PORT")
    return ClusterAccess(
        context=name,
        server=server,
        namespace=str(context.get("namespace") or "default"),
        cluster=cluster,
        user=_named(merged, "users", user, f"user of context {name},") if user else {},
    )


def _named(merged: Entry, plural: str, name: str | None, what: str) -> Entry:
    entry: Entry | None = merged[plural].get(name)
    if entry is None:
        known = ", ".join(sorted(map(str, merged[plural]))) or "none"
        raise NoClusterError(f"the kubeconfig has no {what} {name}; it has: {known}")
    return entry


def _of_pod(environment: Mapping[str, str], folder: Path) -> ClusterAccess:
    host = environment.get("KUBERNETES_SERVICE_HOST")
    if not host:
        raise NoClusterError("KUBERNETES_SERVICE_HOST is not set in this pod; set KUBECONFIG")
    port = environment.get("KUBERNETES_SERVICE_PORT", "443")
    namespace = folder / "namespace"
    return ClusterAccess(
        context=None,
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        namespace=namespace.read_text("utf-8").strip() if namespace.exists() else "default",
        cluster={"certificate-authority": str(folder / "ca.crt")},
        user={"tokenFile": str(folder / "token")},
    )


TOKEN_SECONDS = 60.0
"""A token in a file is read again after so long: the kubelet replaces it."""
PROGRAM_SECONDS = 120.0
"""What a program may take: it may ask for a password, or open a browser."""
EXEC_VERSIONS = ("v1", "v1beta1")
EXEC_GROUP = "client.authentication.k8s.io"

Credential = dict[str, Any]


class TokenAuth(httpx.Auth):
    """A bearer token that may change; it is fetched again once when the server refuses it.

    `fetch` returns the token, and until when it may be used by the monotonic clock.
    """

    def __init__(self, fetch: Callable[[], tuple[str, float]]) -> None:
        self._fetch = fetch
        self._token, self._until = "", 0.0

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send the token, and a new one if it is refused."""
        fresh = time.monotonic() >= self._until
        self._authorize(request, fetch=fresh)
        response = yield request
        # A token may be revoked before it expires; one that is refused while new stays refused.
        if response.status_code == 401 and not fresh:
            self._authorize(request, fetch=True)
            yield request

    def _authorize(self, request: httpx.Request, *, fetch: bool) -> None:
        if fetch:
            self._token, self._until = self._fetch()
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"


def impersonation_headers(user: Entry) -> list[tuple[str, str]]:
    """Return the headers by which the owner of a credential acts as a lesser user.

    The entry has `as`, `as-uid`, `as-groups` and `as-user-extra`. See
    https://kubernetes.io/docs/reference/access-authn-authz/authentication/ ("User impersonation").
    Without the headers, requests would have the rights of the owner.

    It raises `NoClusterError` if groups are given without a user, which the API server refuses.
    """
    headers = [("Impersonate-User", str(user["as"]))] if user.get("as") else []
    if user.get("as-uid"):
        headers.append(("Impersonate-Uid", str(user["as-uid"])))
    # A group each in a header of its own.
    headers += [("Impersonate-Group", str(group)) for group in user.get("as-groups") or []]
    headers += [
        (f"Impersonate-Extra-{quote(str(key).lower(), safe='')}", str(value))
        for key, values in (user.get("as-user-extra") or {}).items()
        for value in values
    ]
    if headers and not user.get("as"):
        raise NoClusterError("the kubeconfig's user has as-groups without as; set as")
    return headers


def auth_of(access: ClusterAccess, credential: Credential | None) -> httpx.Auth | None:
    """Return what is sent with each request; `None` for client certificates, and for nothing.

    `credential` is what the user's program gave, if there is one.
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
        # The program ran once already, for a certificate; a second run might open a browser again.
        credential = unused.pop() if unused else run_program(access)
        token, expiry = str(credential.get("token") or ""), credential.get("expirationTimestamp")
        if not expiry:
            return token, float("inf")
        left = datetime.fromisoformat(str(expiry)) - datetime.now(UTC)
        return token, time.monotonic() + left.total_seconds()

    return fetch


def run_program(access: ClusterAccess) -> Credential:
    """Return what the user's program prints as its status: a token, a certificate, or both.

    It raises `NoClusterError` if it cannot be run, fails, or prints something else.
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
    spec: Entry = {"interactive": True}
    if program.get("provideClusterInfo"):
        shown = ("certificate-authority-data", "tls-server-name", "proxy-url")
        known = {key: access.cluster[key] for key in shown if key in access.cluster}
        spec["cluster"] = {"server": access.server} | known
    info = {"apiVersion": program["apiVersion"], "kind": "ExecCredential", "spec": spec}
    variables["KUBERNETES_EXEC_INFO"] = json.dumps(info)
    try:
        done = subprocess.run(  # noqa: S603  the user's own kubeconfig names it
            command,
            stdout=subprocess.PIPE,  # its prompts and errors go to the terminal
            env={**os.environ, **variables},
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
