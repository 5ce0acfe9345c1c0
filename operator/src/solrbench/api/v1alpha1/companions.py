"""`spec.companions`: what stands in front of Solr for as long as the target lives."""

import re
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import FileName, ObjectName

MAX_COMPANIONS = 8

BUILT_IN_VALUES = (
    "BENCHMARK",
    "NAMESPACE",
    "COLLECTION",
    "SOLR_URL",
    "SOLR_URLS",
    "SOLR_HOSTS",
    "SOLR_SERVICE",
)
"""Names that the operator gives values to; so it does to those that begin with `SERVICE_`."""

SERVICE_PREFIX = "SERVICE_"
"""Beginning of the names whose values are the hosts of Services among the companions."""

_RESERVED = f"({'|'.join(BUILT_IN_VALUES)}|{SERVICE_PREFIX}.*)"

NAME_PATTERN = "[A-Z][A-Z0-9_]*"
"""Expression for a name in `$(NAME)`."""

ValueName = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class ManifestsFile(Model):
    """Manifests in a ConfigMap of the benchmark's namespace."""

    name: ObjectName
    """`name` is the name of the ConfigMap."""
    key: FileName | None = None
    """`key` is the key with the manifests; all keys, in the order of their names, when absent."""


class Companion(Model):
    """Objects that are made for the benchmark beside Solr, such as a proxy or a load balancer."""

    config_map: ManifestsFile
    """`configMap` holds their manifests in YAML: Deployments, Services and ConfigMaps."""
    values: Annotated[
        dict[ValueName, Annotated[str, StringConstraints(max_length=1024)]], Field(max_length=32)
    ] = {}
    """`values` replace `$(NAME)` in the manifests, beside the names that the operator knows:
    BENCHMARK, NAMESPACE, COLLECTION, SOLR_URL, SOLR_URLS, SOLR_HOSTS, SOLR_SERVICE, and SERVICE_
    with the name of a Service of the companions."""

    rules: ClassVar = (
        Rule(
            cel=f"self.values.all(name, name.matches(r'^{NAME_PATTERN}$'))",
            message="values must have names of capitals, digits and '_', such as WORKERS",
            is_satisfied=lambda companion: all(
                re.fullmatch(NAME_PATTERN, name, re.ASCII) for name in companion.values
            ),
        ),
        Rule(
            cel=f"!self.values.exists(name, name.matches(r'^{_RESERVED}$'))",
            message=f"values must not name what the operator sets: {', '.join(BUILT_IN_VALUES)} and"
            f" {SERVICE_PREFIX}*",
            is_satisfied=lambda companion: (
                not any(
                    name in BUILT_IN_VALUES or name.startswith(SERVICE_PREFIX)
                    for name in companion.values
                )
            ),
        ),
    )
