"""Rules of what the dataset's generator makes: queries, inputs of transactions, updates."""

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.workload.mix import MixEntry

_GENERATOR = "(has(self.dataset) && has(self.dataset.generator))"


def _has_generator(dataset: Dataset | None) -> bool:
    return dataset is not None and dataset.generator is not None


def _is_generated(entry: MixEntry) -> bool:
    inputs = entry.transaction.inputs if entry.transaction is not None else None
    return any(
        source is not None and source.generated is not None
        for source in (entry.queries, entry.updates, inputs)
    )


GENERATED_RULES = (
    Rule(
        cel=(
            f"!has(self.workload.queries) || !has(self.workload.queries.generated) || {_GENERATOR}"
        ),
        message=(
            "workload.queries.generated must go with dataset.generator;"
            " set queries of your own for other data"
        ),
        is_satisfied=lambda spec: (
            spec.workload.queries is None
            or spec.workload.queries.generated is None
            or _has_generator(spec.dataset)
        ),
    ),
    Rule(
        cel=(
            "!has(self.workload.warmUpQueries) || !has(self.workload.warmUpQueries.generated)"
            f" || {_GENERATOR}"
        ),
        message=(
            "workload.warmUpQueries.generated must go with dataset.generator;"
            " set queries of your own for other data"
        ),
        is_satisfied=lambda spec: (
            spec.workload.warm_up_queries is None
            or spec.workload.warm_up_queries.generated is None
            or _has_generator(spec.dataset)
        ),
    ),
    Rule(
        cel=(
            f"!has(self.workload.mix) || {_GENERATOR} || self.workload.mix.all(e,"
            " !(has(e.queries) && has(e.queries.generated))"
            " && !(has(e.updates) && has(e.updates.generated))"
            " && !(has(e.transaction) && has(e.transaction.inputs)"
            " && has(e.transaction.inputs.generated)))"
        ),
        message=(
            "workload.mix must have nothing generated without dataset.generator;"
            " set queries, inputs and documents of your own for other data"
        ),
        is_satisfied=lambda spec: (
            _has_generator(spec.dataset)
            or not any(_is_generated(entry) for entry in spec.workload.mix or ())
        ),
    ),
)
"""Rules of `Spec`."""
