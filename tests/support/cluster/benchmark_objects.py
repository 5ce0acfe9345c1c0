"""Benchmarks in a namespace of a test's own, changed as strictly as kubectl does."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from solrbench.api.v1alpha1 import GROUP, PLURAL, VERSION
from support.cluster.admission import RejectedError, refusals

Body = dict[str, Any]
STRICT = {"field_validation": "Strict"}


class BenchmarkObjects:
    """The benchmarks of one namespace."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self._api = config.new_client_from_config(config_file=os.environ["KUBECONFIG"])
        self._objects = client.CustomObjectsApi(self._api)
        self._core = client.CoreV1Api(self._api)

    def store(self, body: Body) -> Body:
        """Store a benchmark; `RejectedError` if it is refused."""
        body["metadata"]["namespace"] = self.namespace
        return self._call("create_namespaced_custom_object", body=body, **STRICT)

    def replace(self, body: Body) -> Body:
        """Replace all but the status of a benchmark; `RejectedError` if it is refused."""
        name = body["metadata"]["name"]
        return self._call("replace_namespaced_custom_object", name=name, body=body, **STRICT)

    def patch(self, name: str, changes: Body) -> Body:
        return self._call("patch_namespaced_custom_object", name=name, body=changes)

    def delete(self, name: str) -> None:
        """Begin to delete a benchmark."""
        self._call("delete_namespaced_custom_object", name=name)

    def names(self) -> set[str]:
        found = self._call("list_namespaced_custom_object")["items"]
        return {each["metadata"]["name"] for each in found}

    def config_maps(self) -> list[str]:
        label = "app.kubernetes.io/managed-by=solrbench-operator"
        found = self._core.list_namespaced_config_map(self.namespace, label_selector=label)
        return [each.metadata.name for each in found.items]

    def services(self) -> list[str]:
        found = self._core.list_namespaced_service(self.namespace)
        return [each.metadata.name for each in found.items]

    def is_namespace_there(self) -> bool:
        """Return whether the namespace exists, be it terminating."""
        try:
            self._core.read_namespace(self.namespace)
        except ApiException as error:
            if error.status == 404:
                return False
            raise
        return True

    def create_namespace(self) -> None:
        self._core.create_namespace({"metadata": {"name": self.namespace}})

    def delete_namespace(self) -> None:
        """Begin to delete the namespace."""
        self._core.delete_namespace(self.namespace)

    def _call(self, call: str, **arguments: Any) -> Body:
        where = {"group": GROUP, "version": VERSION, "namespace": self.namespace, "plural": PLURAL}
        with refusals():
            response: Body = getattr(self._objects, call)(**where, **arguments)
        return response


@contextmanager
def own_namespace(prefix: str) -> Iterator[BenchmarkObjects]:
    """Make a namespace; at the end nothing holds its deletion."""
    objects = BenchmarkObjects(f"{prefix}-{uuid.uuid4().hex[:8]}")
    objects.create_namespace()
    try:
        yield objects
    finally:
        with suppress(RejectedError, ApiException):
            for name in objects.names():
                objects.patch(name, {"metadata": {"finalizers": None}})
        with suppress(ApiException):
            objects.delete_namespace()
