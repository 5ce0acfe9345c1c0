"""`spec.load.between`: what is done between steps, so that each begins alike."""

from enum import StrEnum

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.load.warm_up import WarmUp


class Before(StrEnum):
    """Before what something is done."""

    EACH_STEP = "EachStep"
    EACH_REPEAT = "EachRepeat"


class SolrCaches(StrEnum):
    """What happens to Solr's caches."""

    KEEP = "Keep"
    EMPTY = "Empty"


class Between(Model):
    """Preparation of steps: emptied caches, then a warm-up."""

    before: Before = Before.EACH_STEP
    """`before` controls when this is done: before each step, or before the first step of each
    repeat and variant."""
    caches: SolrCaches = SolrCaches.KEEP
    """`caches` controls Solr's caches: `Empty` reloads the collection, and goes on when every core
    reports that its caches have no entries. The page cache of the operating system stays."""
    warm_up: WarmUp | None = None
    """`warmUp` is sent then, in place of `spec.warmUp`; when absent that one is. `requests: 0`
    measures with cold caches."""
