"""Definitions of other operators in the real API server: installed for a while, then removed."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import NotFoundError

from bench.harness.processes import wait_until
from solrbench.kube.client import connect
from support.cluster.admission import refusals
from support.repository import ROOT

SECONDS = 60
FIND_MODULE = """
. hack/lib/common.sh; . hack/lib/go.sh; . hack/lib/operators.sh
provide_go >&2
operator_folder solr-operator
"""
KINDS = "x-kubernetes-group-version-kind"

Body = dict[str, Any]


def read_definition(path: Path) -> Body:
    body: Body = yaml.safe_load(path.read_text("utf-8"))
    return body


def solr_operator_definition() -> Path:
    """Return the file of SolrCloud in the module of the Solr Operator that hack/cluster builds."""
    command = ["bash", "-euc", FIND_MODULE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()) / "config/crd/bases/solr.apache.org_solrclouds.yaml"


def schema_at(definition: Body, *path: str) -> Body:
    """Return the schema of a field in the only version of a definition."""
    (version,) = definition["spec"]["versions"]
    place: Body = version["schema"]["openAPIV3Schema"]
    for part in path:
        place = place["properties"][part]
    return place


@contextmanager
def installed(dynamic: DynamicClient, definition: Body) -> Iterator[None]:
    """Install a definition that is not there until the end of the block."""
    api = client.ApiextensionsV1Api(dynamic.client)
    name = definition["metadata"]["name"]
    api.create_custom_resource_definition(definition)
    try:
        wait_until(lambda: _is_served(dynamic, definition), SECONDS, f"{name} to be served")
        yield
    finally:
        api.delete_custom_resource_definition(name)
        wait_until(lambda: not _is_served(dynamic, definition), SECONDS, f"{name} to be gone")


def _is_served(dynamic: DynamicClient, definition: Body) -> bool:
    """Return whether objects can be made and the schema is published."""
    spec = definition["spec"]
    api_version = f"{spec['group']}/{spec['versions'][0]['name']}"
    cluster = connect()
    if not cluster.serves(api_version, spec["names"]["kind"]):
        return False
    document = cluster.read(f"/openapi/v3/apis/{api_version}") or {}
    return any(
        spec["names"]["kind"] in (each["kind"] for each in schema[KINDS])
        for schema in document.get("components", {}).get("schemas", {}).values()
        if KINDS in schema
    )


def try_create(dynamic: DynamicClient, manifest: Body) -> Body:
    """Return what would be stored of an object; unknown fields are refused."""
    resource = dynamic.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
    with refusals():
        response: Body = resource.create(
            body=manifest,
            namespace=manifest["metadata"]["namespace"],
            query_params=[("fieldValidation", "Strict"), ("dryRun", "All")],
        ).to_dict()
    return response


def is_there(dynamic: DynamicClient, name: str) -> bool:
    """Return whether a definition of this name is installed."""
    kinds = dynamic.resources
    resource = kinds.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    try:
        resource.get(name=name)
    except NotFoundError:
        return False
    return True


def lost(built: Any, stored: Any, path: str = "") -> list[str]:
    """Return the places where what is stored is not what was built; defaults may be added."""
    if isinstance(built, dict) and isinstance(stored, dict):
        return [
            place
            for key, value in built.items()
            if value not in ({}, [])
            for place in lost(value, stored.get(key), f"{path}.{key}")
        ]
    if isinstance(built, list) and isinstance(stored, list) and len(built) == len(stored):
        pairs = enumerate(zip(built, stored, strict=True))
        return [place for i, (b, s) in pairs for place in lost(b, s, f"{path}[{i}]")]
    return [] if built == stored else [f"{path}: {built!r} became {stored!r}"]
