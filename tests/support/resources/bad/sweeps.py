"""Sweeps that the API server and the models refuse, with words of the message."""

from support.resources.small_resource import REMOVE, Changes
from support.resources.small_sweep import HEAP

BAD_SWEEPS: dict[str, tuple[Changes, str]] = {
    "a long name": ({"metadata.name": "n" * 25}, "metadata.name must have at most 24 characters"),
    "a name with a dot": ({"metadata.name": "a.b"}, "metadata.name must be a-z"),
    "no axes": ({"spec.axes": []}, "spec.axes"),
    "no template": ({"spec.template": REMOVE}, "spec.template"),
    "two axes of one name": ({"spec.axes": [HEAP, HEAP]}, "Duplicate value"),
    "neither field nor fields": (
        {"spec.axes.0.field": REMOVE},
        "must set exactly one of field, fields",
    ),
    "both field and fields": (
        {"spec.axes.0.fields": ["seed", "backoffLimit"]},
        "must set exactly one of field, fields",
    ),
    "a path that is none": (
        {"spec.axes.0.field": "target/heap"},
        "must be the path of a field below the spec",
    ),
    "no values": ({"spec.axes.0.values": []}, "spec.axes[0].values"),
    "too many points": ({"spec.maxPoints": 501}, "spec.maxPoints"),
    "no points at a time": ({"spec.parallelism": 0}, "spec.parallelism"),
    "an exclusion that is no expression": ({"spec.exclude": [{"heap": "1Gi"}]}, "spec.exclude[0]"),
    "a long expression": ({"spec.exclude": ["true || " * 40 + "true"]}, "spec.exclude[0]"),
    "too many expressions": ({"spec.exclude": ["false"] * 17}, "spec.exclude"),
    "rounds until any other time": ({"spec.repeats": {"until": "Friday"}}, "spec.repeats.until"),
    "fewer repeats at most than at least": (
        {"spec.repeats": {"until": "Decided", "min": 6, "max": 5}},
        "max must not be less than min",
    ),
    "an annotation of ours in the template": (
        {"spec.template.metadata": {"annotations": {"solrbench.io/target": "prod"}}},
        "annotations must not contain solrbench.io/* or",
    ),
    "a label of ours in the template": (
        {"spec.template.metadata": {"labels": {"solrbench.io/benchmark": "other"}}},
        "labels must not contain solrbench.io/* or app.kubernetes.io/managed-by",
    ),
    "a role that is none": ({"spec.axes.0.role": "Given"}, "spec.axes[0].role"),
    "a capacity of a step": (
        {"spec.objective": {"metric": "Capacity", "step": "one"}},
        "step must not go with Capacity",
    ),
    "an index of a variant": (
        {"spec.objective": {"metric": "IndexBytes", "variant": "proxy"}},
        "step and variant must not go with IndexingSeconds and IndexBytes",
    ),
    "CPU time of a request name": (
        {"spec.objective": {"metric": "CpuMillisecondsPerRequest", "request": "search"}},
        "request must go with RequestsPerSecond, FailedPercent or a time",
    ),
    "another metric": ({"spec.objective.metric": "P98"}, "spec.objective.metric"),
}
