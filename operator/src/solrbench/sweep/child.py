"""The benchmark of a point."""

from collections.abc import Mapping
from typing import Any

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.plan.names import LABEL_POINT, LABEL_SWEEP, MANAGER
from solrbench.sweep.field_paths import set_field
from solrbench.sweep.points import Point, benchmark_name

Body = dict[str, Any]

ANNOTATION_VALUES = "solrbench.io/values"
OF_THE_SWEEP = ("cleanup", "suspend", "ttlSecondsAfterFinished")
"""Fields of a benchmark that its sweep decides on."""


def child_spec(sweep: SolrBenchmarkSweep, point: Point) -> Body:
    """Return the raw spec of a point's benchmark.

    Raises:
        FieldPathError: if the template has no place for a value.

    """
    spec: Body = sweep.spec.template.spec
    for value in point.values:
        for path, setting in value.settings:
            spec = set_field(spec, path, setting)
    return spec


def build_child(
    sweep: SolrBenchmarkSweep,
    point: Point,
    annotations: Mapping[str, str] | None = None,
    round_: int = 1,
) -> Body:
    """Return the benchmark of a point: named and labelled, owned by the sweep.

    Args:
        sweep: the sweep
        point: the point
        annotations: those of the target that it shares
        round_: the round that it is for

    Raises:
        FieldPathError: if the template has no place for a value.

    """
    template, metadata = sweep.spec.template, sweep.metadata
    decided = {"cleanup": sweep.spec.cleanup.value, "suspend": sweep.spec.suspend}
    return {
        "apiVersion": BENCHMARK.api_version,
        "kind": BENCHMARK.name,
        "metadata": {
            "name": benchmark_name(metadata.name, point.name, round_),
            "namespace": metadata.namespace,
            "labels": {
                **template.metadata.labels,
                "app.kubernetes.io/managed-by": MANAGER,
                LABEL_SWEEP: metadata.name,
                LABEL_POINT: point.name,
            },
            "annotations": {
                **template.metadata.annotations,
                ANNOTATION_VALUES: point.text,
                **(annotations or {}),
            },
            "ownerReferences": [
                {
                    "apiVersion": SWEEP.api_version,
                    "kind": SWEEP.name,
                    "name": metadata.name,
                    "uid": metadata.uid,
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": child_spec(sweep, point) | decided,
    }
