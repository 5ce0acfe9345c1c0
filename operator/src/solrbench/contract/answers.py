"""What Solr answered to the queries of a workload, as it is stored beside a step run.

Each distinct query has one entry: the number of documents found, the first of them in their order
with what they were ordered by, digests of facets, or an error. It is packed: the entries of 5,000
queries take a few hundred kilobytes of a report.
"""

import gzip
from base64 import b64decode, b64encode
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import orjson
from pydantic import Field

from solrbench.api.rules import LenientModel
from solrbench.api.v1alpha1.objectives import MAX_ANSWER_DOCUMENTS, MAX_ANSWER_QUERIES
from solrbench.contract.foreign import (
    ForeignDataError,
    decode_json,
    needed_memory,
    unpack,
    validate,
)

MAX_ANSWER_BYTES = 2 << 20
"""What the answers of one benchmark may take of the report, those through all variants together."""

_MAX_UNPACKED_BYTES = 24 << 20
_MAX_MEMORY = 64 << 20

Rank = list[float | str | None]
"""What a document is ordered by: one value for each criterion of the sort, None if unknown."""


class Skipped(StrEnum):
    """Why the answer to a query is not compared; the values are the words of sentences."""

    VARIES = "vary from request to request"
    RANDOM = "have a random order"
    USES_NOW = "depend on the time (NOW)"
    GROUPED = "group their results"
    NO_DOCUMENTS = "return no list of documents"
    NO_KEY = "return documents without the uniqueKey"
    APPROXIMATE = "count approximately (minExactCount)"
    PARTIAL = "were answered in part"
    NO_RESPONSE = "got no response that could be read on either side"
    NO_RANK = "return other documents, sorted by what Solr returns for none of them"


class FacetAnswer(LenientModel):
    """One facet of an answer."""

    digest: str
    """The same for the same counts in the same order."""
    approximate: bool = False
    """Whether its counts may depend on how the documents are spread over shards."""
    text: str = ""
    """Its first buckets, for readers."""


class QueryAnswer(LenientModel):
    """The answer to one query."""

    key: str
    """Digest of handler, parameters and body: the same query has the same on both sides."""
    query: str
    """The query for readers, cut."""
    found: int | None = None
    """`numFound`; None with an error."""
    ids: list[str] = []
    """Unique keys of the first documents, in their order."""
    ranks: list[Rank] = []
    """For each of them what it is ordered by."""
    by_score: bool = False
    """Whether the score is among the criteria of the order."""
    scores_vary: bool = False
    """Whether the scores differed when it was sent again: replicas count terms by themselves."""
    facets: dict[str, FacetAnswer] = {}
    error: str = ""
    """Status and message of Solr, such as `HTTP 400: undefined field x`, or why there is none."""
    skipped: Skipped | None = None

    @property
    def failed_status(self) -> str:
        """The status of an error that was a response, such as `HTTP 400`; empty without one."""
        return self.error.partition(":")[0] if self.error.startswith("HTTP ") else ""


class StoredAnswers(LenientModel):
    """The answers of a target to the distinct queries of a workload."""

    first: Annotated[int, Field(le=MAX_ANSWER_DOCUMENTS)]
    """How many documents of each answer are kept at most."""
    layout: str = ""
    """Shards and router of the collection; empty where Solr does not report them."""
    queries: int = 0
    """Queries with an entry."""
    left_out: int = 0
    """Queries that were not sent in time, or whose entries did not fit."""
    not_queries: int = 0
    """Entries of the mix that have no queries of their own: updates and transactions."""
    fewer_rows: int = 0
    """Queries that ask for fewer than `first` documents."""
    seconds: float = 0.0
    """How long it took."""
    problem: str = ""
    """Why nothing could be compared, with a remedy; empty if something could."""
    packed: str = ""
    """The entries as gzipped JSON in base64."""

    def unpack(self) -> list[QueryAnswer]:
        """Return the entries; `ForeignDataError` if they are damaged, or more than is read."""
        if not self.packed:
            return []
        try:
            packed = b64decode(self.packed, validate=True)
        except ValueError as error:
            raise ForeignDataError("the answers are no base64") from error
        text = unpack(packed, _MAX_UNPACKED_BYTES)
        return validate(_Entries, {"entries": decode_json(text, _MAX_MEMORY)}).entries


class _Entries(LenientModel):
    # Each pair of documents of each answer is compared.
    entries: Annotated[list[QueryAnswer], Field(max_length=MAX_ANSWER_QUERIES)]


def pack_answers(
    answers: Sequence[QueryAnswer], stored: StoredAnswers, max_bytes: int
) -> StoredAnswers:
    """Return `stored` with as many of the answers, from the first one on, as fit and are read."""
    kept = len(answers)
    while True:
        entries = [each.model_dump(by_alias=True, exclude_defaults=True) for each in answers[:kept]]
        text = orjson.dumps(entries)
        # Without a time, the same answers are the same bytes.
        packed = b64encode(gzip.compress(text, mtime=0)).decode("ascii")
        memory = needed_memory(text, _MAX_MEMORY)
        fill = max(len(packed) / max_bytes, len(text) / _MAX_UNPACKED_BYTES, memory / _MAX_MEMORY)
        if fill <= 1:
            left_out = stored.left_out + len(answers) - kept
            update = {"queries": kept, "left_out": left_out, "packed": packed}
            return stored.model_copy(update=update)
        # A little less than what would fit, as the first ones may be the longest.
        kept = min(kept - 1, int(kept / fill * 0.95))
