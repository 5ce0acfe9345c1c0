"""Fields of a kind in the OpenAPI document of an API server."""

from typing import Any

from solrbench.cluster.definitions import fields_at
from solrbench.manifests.solr_cloud import API_VERSION, KIND, POD_OPTIONS


def document(*options: str) -> dict[str, Any]:
    """Return the part of a document that matters, in the form of Kubernetes 1.34."""
    schema: dict[str, Any] = {"properties": {option: {"type": "object"} for option in options}}
    for part in reversed(POD_OPTIONS):
        schema = {"type": "object", "properties": {part: schema}}
    kind = {"group": "solr.apache.org", "kind": "SolrCloud", "version": "v1beta1"}
    schema["x-kubernetes-group-version-kind"] = [kind]
    schemas = {
        "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": {"type": "object"},
        "org.apache.solr.v1beta1.SolrCloud": schema,
    }
    return {"openapi": "3.0.0", "components": {"schemas": schemas}}


def test_fields_at_a_place() -> None:
    found = fields_at(document("labels", "resources"), API_VERSION, KIND, POD_OPTIONS)
    assert found == frozenset({"labels", "resources"})


def test_a_place_that_is_not_there_has_no_fields() -> None:
    found = fields_at(document("labels"), API_VERSION, KIND, ("spec", "customSolrKubeOptions", "x"))
    assert found == frozenset()


def test_another_kind_or_version_is_not_taken_for_it() -> None:
    assert fields_at(document(), API_VERSION, "SolrBackup", POD_OPTIONS) is None
    assert fields_at(document(), "solr.apache.org/v1", KIND, POD_OPTIONS) is None
    assert fields_at({}, API_VERSION, KIND, POD_OPTIONS) is None
