"""Container images of the target."""

from enum import StrEnum

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import ImageRepository, ImageTag, ObjectName


class PullPolicy(StrEnum):
    """When the kubelet pulls an image."""

    ALWAYS = "Always"
    IF_NOT_PRESENT = "IfNotPresent"
    NEVER = "Never"


class Image(Model):
    """A container image by repository and tag."""

    repository: ImageRepository
    """Repository, with the registry's host where it is not the default one."""
    tag: ImageTag
    """Tag of the image; always given, so that a benchmark can be repeated."""
    pull_policy: PullPolicy = PullPolicy.IF_NOT_PRESENT
    """When the image is pulled."""
    pull_secret: ObjectName | None = None
    """Name of the Secret that holds the registry's credentials."""

    @property
    def reference(self) -> str:
        """The image as a pod names it."""
        return f"{self.repository}:{self.tag}"


class SolrImage(Image):
    """The Solr image."""

    repository: ImageRepository = "solr"
    """Repository of the official image or one with the same environment interface."""
    tag: ImageTag = "9.10.1"
    """Tag of the image: Solr 9.x."""


class ZooKeeperImage(Image):
    """The ZooKeeper image."""

    repository: ImageRepository = "zookeeper"
    """Repository of the official image or one with the same environment interface."""
    tag: ImageTag = "3.9.4"
    """Tag of the image."""
