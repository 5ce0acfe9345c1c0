"""`indexing` of a step, and of a search: what is added in place of the requests of the workload."""

from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Int, Milliseconds

UPDATE = "update"
"""Request name of steps and trials that index."""


class StepIndexing(Model):
    """Documents like those of the dataset, added with ids of their own.

    They are deleted after the step, so that every step begins with the documents of the dataset.
    """

    batch_size: Annotated[Int, Field(ge=1, le=10_000)] = 500
    """`batchSize` is the number of documents in each update."""
    commit_within_milliseconds: Annotated[Milliseconds, Field(ge=1)] | None = None
    """`commitWithinMilliseconds` is the time within which Solr makes the documents visible; absent
    leaves that to the commits of `collection`."""


STEP_RULE = Rule(
    cel="!has(self.indexing) || !has(self.replay)",
    message=("indexing must go with users or requestsPerSecond, replay sends the queries of a log"),
)
"""For `Step`."""

_SEARCHES = "has(self.load.capacity) && has(self.load.capacity.indexing)"
_NO_STEP_INDEXES = "!self.load.steps.exists(s, has(s.indexing))"
_NONE_INDEXES = f"{_NO_STEP_INDEXES} && !({_SEARCHES})"
_FIELDS = "indexing of load.steps and load.capacity"


def indexing_rules(max_repeats: str) -> tuple[Rule, ...]:
    """Return the rules of a spec that measures indexing; `max_repeats` is that number in CEL."""
    return (
        Rule(
            cel=f"{_NONE_INDEXES} || has(self.target.solrCloud)",
            message=(
                f"{_FIELDS} must go with target.solrCloud, whose replicas are asked for what they"
                " have; for target.existing use workload.mix[].updates"
            ),
        ),
        Rule(
            cel=(
                f"{_NONE_INDEXES} || !has(self.dataset) || (has(self.dataset.generator)"
                " ? self.dataset.generator.routePrefixes == 0"
                " : !has(self.dataset.http) && !has(self.dataset.backup))"
            ),
            message=(
                f"{_FIELDS} must go with dataset.generator and routePrefixes 0, or files that are"
                " mounted: persistentVolumeClaim or configMap"
            ),
        ),
        Rule(
            cel=(
                f"{_NONE_INDEXES} || self.collection.router.name == 'compositeId'"
                " && !has(self.collection.router.field)"
            ),
            message=(
                f"{_FIELDS} must go with collection.router.name compositeId without a"
                " field, its documents are routed by their ids"
            ),
        ),
        Rule(
            cel=(
                f"{_NO_STEP_INDEXES} || self.load.repeats.startOn != 'SameTarget'"
                f" || {max_repeats} == 1"
            ),
            message=(
                "load.repeats.startOn must be FreshData or FreshTarget with load.steps[].indexing"
                " and several repeats, merges of one repeat would go on in the next"
            ),
        ),
        Rule(
            cel=f"{_NO_STEP_INDEXES} || !has(self.workload.locustfile)",
            message=(
                "load.steps[].indexing must not go with workload.locustfile, whose code says what"
                " is sent"
            ),
        ),
    )
