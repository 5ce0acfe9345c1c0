"""What held a step back."""

from enum import StrEnum

from solrbench.api.v1alpha1.fields import Text
from solrbench.api.v1alpha1.status.conditions import StatusModel


class Resource(StrEnum):
    """What holds a step back, in the order in which it is looked for."""

    LOAD_GENERATOR = "LoadGenerator"
    THROTTLING = "Throttling"
    MEMORY = "Memory"
    GARBAGE_COLLECTION = "GarbageCollection"
    ONE_NODE = "OneNode"
    CPU = "Cpu"
    DISK = "Disk"
    ZOOKEEPER = "ZooKeeper"
    THREADS = "Threads"
    PROXY = "Proxy"
    NETWORK = "Network"
    MACHINE = "Machine"
    NONE = "None"
    UNCLEAR = "Unclear"


class Bottleneck(StatusModel):
    """What held one step back."""

    step: Text
    """`step` is the name of the step."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    resource: Text
    """`resource` is LoadGenerator, Throttling, Memory, GarbageCollection, OneNode, Cpu, Disk,
    ZooKeeper, Threads, Proxy, Network, Machine, None if nothing is saturated, or Unclear if
    repeats do not agree."""
    server: Text | None = None
    """`server` is the node, pod or worker that shows it most; absent if it is no single one."""
    message: Text
    """`message` gives the measured value and its limit, or in what repeats differ."""
    field: Text | None = None
    """`field` is the field of the spec to vary next, as an axis of a sweep; absent without one."""
