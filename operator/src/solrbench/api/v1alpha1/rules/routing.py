"""Rules of routing that span collection, dataset and workload."""

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.collection import RouterName
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.workload.workload import Workload


def _prefixes(dataset: Dataset | None) -> int:
    if dataset is None or dataset.generator is None:
        return 0
    return dataset.generator.route_prefixes


def _routed(workload: Workload) -> float:
    lists = [entry.queries for entry in workload.entries]
    generated = [each.generated for each in lists if each is not None]
    return max((each.routed_percent for each in generated if each is not None), default=0)


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
        is_satisfied=lambda spec: (
            _prefixes(spec.dataset) == 0
            or (
                spec.collection.router.name is RouterName.COMPOSITE_ID
                and spec.collection.router.field is None
            )
        ),
    ),
    Rule(
        cel=(
            "(has(self.dataset) && has(self.dataset.generator)"
            " && self.dataset.generator.routePrefixes >= 1)"
            " || ((!has(self.workload.queries) || !has(self.workload.queries.generated)"
            " || self.workload.queries.generated.routedPercent == 0.0)"
            " && (!has(self.workload.mix) || self.workload.mix.all(e, !has(e.queries)"
            " || !has(e.queries.generated) || e.queries.generated.routedPercent == 0.0)))"
        ),
        message=(
            "workload.queries.generated.routedPercent must go with"
            " dataset.generator.routePrefixes, queries are routed by the prefixes of ids"
        ),
        is_satisfied=lambda spec: _routed(spec.workload) == 0 or _prefixes(spec.dataset) >= 1,
    ),
)
"""Rules of `Spec`."""
