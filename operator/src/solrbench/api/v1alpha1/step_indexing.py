"""`load.steps[].indexing`: what a step adds in place of the requests of the workload."""

from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Int, Milliseconds


class StepIndexing(Model):
    """Documents like those of the generated dataset, added with ids of their own.

    They are deleted after the step, so that every step begins with the documents of the dataset.
    """

    batch_size: Annotated[Int, Field(ge=1, le=10_000)] = 500
    """`batchSize` is the number of documents in one update request: `requestsPerSecond` of the
    step times `batchSize` are documents per second."""
    commit_within_milliseconds: Annotated[Milliseconds, Field(ge=1)] | None = None
    """`commitWithinMilliseconds` is the time within which Solr makes the documents visible; absent
    leaves that to `collection.autoCommit` and `collection.autoSoftCommit`."""


STEP_RULE = Rule(
    cel="!has(self.indexing) || !has(self.replay)",
    message=("indexing must go with users or requestsPerSecond, replay sends the queries of a log"),
)
"""For `Step`."""

_NONE_INDEXES = "!self.load.steps.exists(s, has(s.indexing))"


def indexing_rules(max_repeats: str) -> tuple[Rule, ...]:
    """Return the rules of a spec with a step that indexes; `max_repeats` is that number in CEL."""
    return (
        Rule(
            cel=f"{_NONE_INDEXES} || has(self.target.solrCloud)",
            message=(
                "load.steps[].indexing adds and deletes documents, and counts them on every replica"
                " at its own address: it must go with target.solrCloud; for target.existing use"
                " workload.mix[].updates"
            ),
        ),
        Rule(
            cel=(
                f"{_NONE_INDEXES} || !has(self.dataset)"
                " || has(self.dataset.generator) && self.dataset.generator.routePrefixes == 0"
            ),
            message=(
                "load.steps[].indexing must go with dataset.generator, whose documents it makes,"
                " and with routePrefixes 0; for other data use workload.mix[].updates"
            ),
        ),
        Rule(
            cel=(
                f"{_NONE_INDEXES} || self.collection.router.name == 'compositeId'"
                " && !has(self.collection.router.field)"
            ),
            message=(
                "load.steps[].indexing must go with collection.router.name compositeId without a"
                " field, its documents are routed by their ids"
            ),
        ),
        Rule(
            cel=(
                f"{_NONE_INDEXES} || self.load.repeats.startOn != 'SameTarget'"
                f" || {max_repeats} == 1"
            ),
            message=(
                "load.repeats.startOn must be FreshData or FreshTarget with load.steps[].indexing"
                " and several repeats, merges of one repeat would go on in the next"
            ),
        ),
        Rule(
            cel=f"{_NONE_INDEXES} || !has(self.workload.locustfile)",
            message=(
                "load.steps[].indexing must not go with workload.locustfile, whose users send what"
                " its code says"
            ),
        ),
    )
