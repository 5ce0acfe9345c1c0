"""What pods get and where they run: CPU, memory, storage, placement."""

from typing import Annotated, ClassVar, Literal

from pydantic import StringConstraints

from solrbench.api.quantities import parse_bytes, parse_cores
from solrbench.api.rules import Model, Rule, at_most_one
from solrbench.api.v1alpha1.fields import Cpu, Memory, ObjectName


def _cel_within(amount: str) -> str:
    """Return the CEL condition that the request of `amount` is within its limit."""
    request, limit = f"self.requests.{amount}", f"self.limits.{amount}"
    return (
        f"!has({request}) || !has({limit})"
        f" || !isQuantity({request}) || !isQuantity({limit})"
        f" || quantity({request}).compareTo(quantity({limit})) <= 0"
    )


class ResourceAmounts(Model):
    """CPU and memory."""

    cpu: Cpu | None = None
    """Cores, such as `2` or `500m`."""
    memory: Memory | None = None
    """Bytes, such as `4Gi`."""


class Resources(Model):
    """Requests and limits of one container."""

    requests: ResourceAmounts = ResourceAmounts()
    """What the scheduler sets aside."""
    limits: ResourceAmounts = ResourceAmounts()
    """What the kernel enforces; a CPU limit throttles and so spoils measurements."""

    rules: ClassVar = (
        Rule(
            cel=_cel_within("cpu"),
            message="requests.cpu must not be greater than limits.cpu",
            is_satisfied=lambda r: (
                r.requests.cpu is None
                or r.limits.cpu is None
                or parse_cores(r.requests.cpu) <= parse_cores(r.limits.cpu)
            ),
        ),
        Rule(
            cel=_cel_within("memory"),
            message="requests.memory must not be greater than limits.memory",
            is_satisfied=lambda r: (
                r.requests.memory is None
                or r.limits.memory is None
                or parse_bytes(r.requests.memory) <= parse_bytes(r.limits.memory)
            ),
        ),
    )


class EphemeralStorage(Model):
    """Data on the node's disk, gone with the pod."""

    size_limit: Memory | None = None
    """The kubelet evicts a pod that writes more than this."""


class PersistentStorage(Model):
    """Data on a PersistentVolumeClaim per node, deleted with the benchmark."""

    size: Memory
    """Capacity that each claim asks for."""
    storage_class_name: ObjectName | None = None
    """StorageClass of the claims; the cluster's default when absent."""


class Storage(Model):
    """Where the index lives."""

    ephemeral: EphemeralStorage | None = None
    """An `emptyDir`; the choice when nothing is said."""
    persistent: PersistentStorage | None = None
    """A claim per node."""

    rules: ClassVar = (at_most_one("ephemeral", "persistent"),)


class Toleration(Model):
    """A taint that the pods put up with."""

    key: Annotated[str, StringConstraints(max_length=317)] | None = None
    """Key of the taint; any when absent (then `operator` must be `Exists`)."""
    operator: Literal["Exists", "Equal"] = "Equal"
    """How `value` is compared."""
    value: Annotated[str, StringConstraints(max_length=63)] | None = None
    """Value of the taint."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Effect of the taint; any when absent."""

    rules: ClassVar = (
        Rule(
            cel="has(self.key) || self.operator == 'Exists'",
            message="must set key when operator is Equal",
            is_satisfied=lambda t: t.key is not None or t.operator == "Exists",
        ),
        Rule(
            cel="!has(self.value) || self.operator == 'Equal'",
            message="may not set value when operator is Exists, which takes any value",
            is_satisfied=lambda t: t.value is None or t.operator == "Equal",
        ),
    )


class Spread(Model):
    """How pods of one kind are spread over the cluster."""

    topology_key: Annotated[str, StringConstraints(min_length=1, max_length=317)] = (
        "kubernetes.io/hostname"
    )
    """Node label whose values are the places to spread over."""
    when_unsatisfiable: Literal["ScheduleAnyway", "DoNotSchedule"] = "ScheduleAnyway"
    """Whether an uneven spread is better than a pending pod."""
