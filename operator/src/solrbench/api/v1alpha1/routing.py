"""Rules of routing that span collection, dataset and workload."""

from typing import TYPE_CHECKING

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.collection import RouterName

if TYPE_CHECKING:
    from solrbench.api.v1alpha1.spec import Spec


def _prefixes(spec: "Spec") -> int:
    dataset = spec.dataset
    if dataset is None or dataset.generator is None:
        return 0
    return dataset.generator.route_prefixes


def _routed(spec: "Spec") -> int:
    queries = spec.workload.queries
    generated = queries.generated if queries is not None else None
    return generated.routed_permille if generated is not None else 0


ROUTING_RULES = (
    Rule(
        cel=(
            "!has(self.dataset) || !has(self.dataset.generator)"
            " || self.dataset.generator.routePrefixes == 0"
            " || (self.collection.router.name == 'compositeId'"
            " && !has(self.collection.router.field))"
        ),
        message=(
            "dataset.generator.routePrefixes must go with collection.router.name compositeId"
            " without a field, no other router reads prefixes of ids"
        ),
        holds=lambda spec: (
            _prefixes(spec) == 0
            or (
                spec.collection.router.name is RouterName.COMPOSITE_ID
                and spec.collection.router.field is None
            )
        ),
    ),
    Rule(
        cel=(
            "!has(self.workload.queries) || !has(self.workload.queries.generated)"
            " || self.workload.queries.generated.routedPermille == 0"
            " || (has(self.dataset) && has(self.dataset.generator)"
            " && self.dataset.generator.routePrefixes >= 1)"
        ),
        message=(
            "workload.queries.generated.routedPermille must go with"
            " dataset.generator.routePrefixes, queries are routed by the prefixes of ids"
        ),
        holds=lambda spec: _routed(spec) == 0 or _prefixes(spec) >= 1,
    ),
)
"""Rules of `Spec`."""
