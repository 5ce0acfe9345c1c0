"""`spec.load.master`: the pod of Locust's master."""

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.pod.pods import ResourceAmounts, Resources

MASTER_RESOURCES = Resources(requests=ResourceAmounts(cpu="100m", memory="256Mi"))


class LoadMaster(Model):
    """The pod of Locust's master, which sends no requests and merges what the workers measured."""

    resources: Resources = MASTER_RESOURCES
    """`resources` are the CPU and memory of the master."""
