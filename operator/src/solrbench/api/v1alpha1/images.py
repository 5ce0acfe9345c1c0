"""Container images of the target."""

from enum import StrEnum

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import ImageRepository, ImageTag


class PullPolicy(StrEnum):
    """When the kubelet pulls an image."""

    ALWAYS = "Always"
    IF_NOT_PRESENT = "IfNotPresent"
    NEVER = "Never"


class Image(Model):
    """A container image by repository and tag."""

    repository: ImageRepository
    """`repository` is the image's repository, with the registry's host unless it is the default
    one."""
    tag: ImageTag
    """`tag` is the image's tag; it is always set, so that a benchmark can be repeated."""
    pull_policy: PullPolicy = PullPolicy.IF_NOT_PRESENT
    """`pullPolicy` controls when the kubelet pulls the image."""

    @property
    def reference(self) -> str:
        """The image as a pod names it."""
        return f"{self.repository}:{self.tag}"


class SolrImage(Image):
    """The Solr image."""

    repository: ImageRepository = "solr"
    """`repository` is the official image or one with the same environment interface."""
    tag: ImageTag = "9.10.1"
    """`tag` is the version of Solr, 9.x."""


class ZooKeeperImage(Image):
    """The ZooKeeper image."""

    repository: ImageRepository = "zookeeper"
    """`repository` is the official image or one with the same environment interface."""
    tag: ImageTag = "3.9.4"
    """`tag` is the version of ZooKeeper."""
