"""Secrets that a benchmark refers to, read and never kept."""

import binascii
from base64 import b64decode

from solrbench.api.v1alpha1.target.existing import Existing
from solrbench.cluster.client import Cluster
from solrbench.errors import TemporaryError
from solrbench.http_auth import HttpAuth, basic_auth
from solrbench.plan.auth_files import PASSWORD, USERNAME
from solrbench.reasons.api_server import ApiServerReason
from solrbench.reasons.lifecycle import LifecycleReason


def secret_auth(cluster: Cluster, namespace: str, existing: Existing) -> HttpAuth:
    """Return credentials and trust for an existing target.

    Raises:
        TemporaryError: `SecretNotFound` if a Secret, or a key of it, is missing; it may be made
            later. `SecretNotReadable` if the operator has no right to read it.

    """
    authorization = ca = None
    if existing.basic_auth is not None:
        name, path = existing.basic_auth.secret.name, "target.existing.basicAuth.secret.name"
        data = _data(cluster, namespace, name, path)
        authorization = basic_auth(
            _text(data, USERNAME, name, path), _text(data, PASSWORD, name, path)
        )
    if existing.tls is not None:
        key, path = existing.tls.ca_secret, "target.existing.tls.caSecret"
        ca = _text(_data(cluster, namespace, key.name, path), key.key, key.name, path)
    return HttpAuth(authorization, ca)


def _data(cluster: Cluster, namespace: str, name: str, path: str) -> dict[str, str]:
    try:
        body = cluster.get("v1", "Secret", namespace, name)
    except TemporaryError as error:
        if error.reason != ApiServerReason.API_REFUSED:
            raise
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_READABLE,
            f"{path}: the operator is not allowed to read Secrets; set rbac.secrets of its chart"
            " to true",
        ) from error
    if body is None:
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_FOUND,
            f"{path}: there is no Secret {name} in namespace {namespace}; create it",
        )
    data: dict[str, str] = body.get("data") or {}
    return data


def _text(data: dict[str, str], key: str, name: str, path: str) -> str:
    if key not in data:
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_FOUND, f"{path}: Secret {name} has no key {key}; add it"
        )
    try:
        return b64decode(data[key]).decode("utf-8").rstrip("\r\n")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise TemporaryError(
            LifecycleReason.SECRET_NOT_FOUND,
            f"{path}: key {key} of Secret {name} is not text in UTF-8; correct it",
        ) from error
