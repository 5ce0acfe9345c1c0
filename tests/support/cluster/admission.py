"""The real API server as validator of resources: what it stores, or why it refuses."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException, ConflictException
from kubernetes.dynamic import DynamicClient

from hack.generate.crd import build_crd
from solrbench.api.kinds import BENCHMARK, ResourceKind
from solrbench.api.v1alpha1 import GROUP, PLURAL, VERSION
from support.resources.small_resource import Changes, change

NAMESPACE = "default"
SECONDS = 30
STRICT = {"dry_run": "All", "field_validation": "Strict"}
"""Validate as strictly as kubectl does, store nothing."""


class RejectedError(Exception):
    """The API server refused a resource; `lines` holds its reasons, one for each field."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


@contextmanager
def refusals(*others: type[ApiException]) -> Iterator[None]:
    """Raise what the API server refuses in the block as `RejectedError`, but for some errors."""
    try:
        yield
    except others:
        raise
    except ApiException as error:
        raise RejectedError(list(_reasons(error))) from error


class ApiServer:
    """Stores and validates benchmarks as strictly as `kubectl apply`."""

    def __init__(self, kubeconfig: str) -> None:
        self._api = config.new_client_from_config(config_file=kubeconfig)
        self._objects = client.CustomObjectsApi(self._api)

    def install_definition(self, kind: ResourceKind = BENCHMARK) -> None:
        """Apply the CustomResourceDefinition of the tree and wait until it is served."""
        crd = build_crd(kind)
        name = crd["metadata"]["name"]
        kinds = DynamicClient(self._api).resources
        resource = kinds.get(api_version=crd["apiVersion"], kind=crd["kind"])
        applied = resource.server_side_apply(
            body=crd, name=name, field_manager="tests", force_conflicts=True
        ).to_dict()
        if _is_established(applied):
            return
        for event in resource.watch(
            field_selector=f"metadata.name={name}",
            resource_version=applied["metadata"]["resourceVersion"],
            timeout=SECONDS,
        ):
            if _is_established(event["raw_object"]):
                return
        raise TimeoutError(f"the definition is not established after {SECONDS} s")

    def try_create(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return what would be stored."""
        return self._call("create_namespaced_custom_object", body=body, **STRICT)

    def try_update(self, name: str, changes: Changes) -> dict[str, Any]:
        """Return what would be stored after `changes` to a stored benchmark."""
        return self._replace("replace_namespaced_custom_object", name, changes)

    def try_update_status(self, name: str, status: dict[str, Any]) -> dict[str, Any]:
        """Return what would be stored after the whole status was written."""
        return self._replace("replace_namespaced_custom_object_status", name, {"status": status})

    def _replace(self, call: str, name: str, changes: Changes) -> dict[str, Any]:
        """Replace what is read, again after a conflicting write (HTTP 409)."""
        while True:
            body = self._call("get_namespaced_custom_object", name=name)
            for path, value in changes.items():
                change(body, path, value)
            try:
                return self._call(call, name=name, body=body, **STRICT)
            except ConflictException:
                continue

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        return self._call("create_namespaced_custom_object", body=body)

    def delete(self, name: str) -> None:
        self._objects.delete_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, name)

    def try_apply(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Return what would be stored of any object after server-side apply."""
        kinds = DynamicClient(self._api).resources
        resource = kinds.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
        metadata = manifest["metadata"]
        with refusals():
            response: dict[str, Any] = resource.server_side_apply(
                body=manifest,
                name=metadata["name"],
                namespace=metadata["namespace"],
                field_manager="tests",
                dry_run="All",
            ).to_dict()
        return response

    def create_restricted_namespace(self, name: str) -> None:
        """Make a namespace that takes only pods of the restricted Pod Security Standard."""
        core = client.CoreV1Api(self._api)
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        core.create_namespace({"metadata": {"name": name, "labels": labels}})
        try:  # the one that pods have unless they name another; a controller makes it too
            core.create_namespaced_service_account(name, {"metadata": {"name": "default"}})
        except ConflictException:
            return

    def delete_namespace(self, name: str) -> None:
        client.CoreV1Api(self._api).delete_namespace(name)

    def _call(self, call: str, **arguments: Any) -> dict[str, Any]:
        where = {"group": GROUP, "version": VERSION, "namespace": NAMESPACE, "plural": PLURAL}
        with refusals(ConflictException):
            response: dict[str, Any] = getattr(self._objects, call)(**where, **arguments)
        return response


def reach_api_server() -> ApiServer:
    """Return the API server of `KUBECONFIG`; skip the test if the variable is not set.

    A cluster that is named but does not respond is an error: it must not look like a skipped test.
    """
    kubeconfig = os.environ.get("KUBECONFIG")
    if not kubeconfig:
        pytest.skip("KUBECONFIG is not set; start the cluster with `make cluster`")
    return ApiServer(kubeconfig)


def _is_established(crd: dict[str, Any]) -> bool:
    conditions = (crd.get("status") or {}).get("conditions") or []
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def _reasons(error: ApiException) -> Iterator[str]:
    """Return why the API server refused something, one line for each field."""
    status = json.loads(error.body)
    yield status["message"]
    for cause in (status.get("details") or {}).get("causes") or []:
        yield f"{cause.get('field', '')}: {cause['message']}"
