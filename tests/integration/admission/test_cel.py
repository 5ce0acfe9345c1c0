"""The real API server's verdict on the expressions that the operator evaluates itself."""

import re
import uuid
from typing import Any

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from support.cluster.admission import RejectedError, reach_api_server
from support.cluster.definitions import installed, try_create
from support.resources.cel import POINT, TRUE, TRUE_IN_RULES

pytestmark = pytest.mark.cluster
EXPRESSIONS = (*TRUE, *TRUE_IN_RULES)
GROUP = f"t{uuid.uuid4().hex[:8]}.solrbench.test"
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def property_of(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"type": "array", "maxItems": 8, "items": property_of(value[0])}
    return {"type": TYPES[type(value)]} | ({"maxLength": 40} if isinstance(value, str) else {})


def definition() -> dict[str, Any]:
    """Return a definition whose rules are that each expression is false."""
    rules = [
        {"rule": f"!({text.replace('point', 'self')})", "message": f"rule {index}."}
        for index, text in enumerate(EXPRESSIONS)
    ]
    fields = {name: property_of(value) for name, value in POINT.items()}
    spec = {"type": "object", "properties": fields, "x-kubernetes-validations": rules}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Trial", "plural": "trials", "singular": "trial", "listKind": "TrialList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"trials.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def test_every_true_expression_is_true_for_the_api_server() -> None:
    reach_api_server()
    dynamic = DynamicClient(config.new_client_from_config())
    metadata = {"name": "trial", "namespace": "default"}
    trial = {"apiVersion": f"{GROUP}/v1", "kind": "Trial", "metadata": metadata, "spec": POINT}
    with installed(dynamic, definition()), pytest.raises(RejectedError) as caught:
        try_create(dynamic, trial)
    found = {int(each) for each in re.findall(r"rule (\d+)\.", str(caught.value))}
    assert [text for index, text in enumerate(EXPRESSIONS) if index not in found] == []
