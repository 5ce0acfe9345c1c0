"""The API server over one connection: reading by kubectl costs a process each time.

Waiting is by watch: an object is looked at when it changes, not every so often.
"""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import httpx2 as httpx
from kubernetes.client import Configuration
from kubernetes.config import load_kube_config

Body = dict[str, Any]

_CORE, _APPS = "/api/v1", "/apis/apps/v1"
_PREFIXES = {
    "configmaps": _CORE,
    "customresourcedefinitions": "/apis/apiextensions.k8s.io/v1",
    "deployments": _APPS,
    "jobs": "/apis/batch/v1",
    "leases": "/apis/coordination.k8s.io/v1",
    "nodes": _CORE,
    "persistentvolumeclaims": _CORE,
    "poddisruptionbudgets": "/apis/policy/v1",
    "replicasets": _APPS,
    "pods": _CORE,
    "services": _CORE,
    "solrbenchmarks": "/apis/solrbench.io/v1alpha1",
    "solrbenchmarksweeps": "/apis/solrbench.io/v1alpha1",
    "solrclouds": "/apis/solr.apache.org/v1beta1",
    "statefulsets": _APPS,
    "zookeeperclusters": "/apis/zookeeper.pravega.io/v1beta1",
}
_OF_THE_CLUSTER = {"customresourcedefinitions", "nodes"}


def path_of(kind: str, namespace: str, name: str = "") -> str:
    """Return the path of a kind (its plural), or of one object of it."""
    place = "" if kind in _OF_THE_CLUSTER else f"/namespaces/{namespace}"
    return f"{_PREFIXES[kind]}{place}/{kind}" + (f"/{name}" if name else "")


@cache
def client() -> httpx.Client:
    """Return a client with the credentials of the kubeconfig."""
    settings = Configuration()
    load_kube_config(client_configuration=settings)
    context = ssl.create_default_context(cafile=settings.ssl_ca_cert)
    context.load_cert_chain(settings.cert_file, settings.key_file)
    return httpx.Client(base_url=settings.host, verify=context, trust_env=False, timeout=60)


def read(path: str, **params: str) -> Body | None:
    """Return what is at a path, or None; every other failure raises."""
    response = client().get(path, params=params or None)  # {} would remove the query
    if response.status_code == httpx.codes.NOT_FOUND:
        return None
    assert response.is_success, f"GET {path}: {response.status_code} {response.text[:500]}"
    found: Body = response.json()
    return found


def wait_for_object(
    path: str, holds: Callable[[Body | None], bool], seconds: float
) -> tuple[bool, Body | None]:
    """Wait until an object, or None, is as wanted; return whether it is, and its last state."""
    end = time.monotonic() + seconds
    last = read(path)
    while not holds(last) and time.monotonic() < end:
        for changed in _changes(path, last, end):
            if holds(changed):
                return True, changed
        last = read(path)  # the watch ended: by its time, or because the server said so
    return holds(last), last


def _changes(path: str, last: Body | None, end: float) -> Iterator[Body | None]:
    collection, _, name = path.rpartition("/")
    seconds = max(1, int(end - time.monotonic()))
    params = {
        "watch": "true",
        "fieldSelector": f"metadata.name={name}",
        "timeoutSeconds": str(seconds),
    }
    if last is not None:
        params["resourceVersion"] = last["metadata"]["resourceVersion"]
    with client().stream("GET", collection, params=params, timeout=seconds + 5) as response:
        for line in response.iter_lines():
            event = json.loads(line)
            if event["type"] == "ERROR":  # the version is too old: read again
                return
            yield None if event["type"] == "DELETED" else event["object"]
