"""Do two answers to one query differ? Without what is no difference.

No difference are documents of one score, or of one value of the sort, in another order, also at the
end of the list where others of the same value follow; scores that differ by less than the rounding
of floats; and whatever one side does not answer the same twice.
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from solrbench.contract.answers import QueryAnswer, Rank, Skipped

SCORE_TOLERANCE = 1e-5
"""Relative; floats of 32 bits, added in another order, differ by some 1e-6."""


class AnswerKind(StrEnum):
    """What is different, the first that applies; the values are the words of sentences."""

    ERROR = "errors"
    FOUND = "numFound"
    MISSING = "missing documents"
    ORDER = "order"
    FACETS = "facets"
    SCORES = "scores"


@dataclass(frozen=True)
class AnswerDifference:
    """Two answers to one query; `kind` is None if they are the same.

    `change` is larger the more they differ, for the order of examples.
    """

    kind: AnswerKind | None = None
    change: float = 0.0


def skip_reason(one: QueryAnswer, other: QueryAnswer) -> Skipped | None:
    """Return why two answers cannot be compared; None if they can."""
    if reason := one.skipped or other.skipped:
        return reason
    if one.error and other.error and not one.failed_status and not other.failed_status:
        return Skipped.NO_RESPONSE
    if one.found == other.found and one.ids != other.ids and (_unranked(one) or _unranked(other)):
        return Skipped.NO_RANK
    return None


def _unranked(answer: QueryAnswer) -> bool:
    """Return whether a criterion of the sort is unknown for all documents: any may be tied."""
    criteria = zip(*answer.ranks, strict=False)
    return any(all(value is None for value in values) for values in criteria)


def compare_answer(
    one: QueryAnswer, other: QueryAnswer, *, same_shards: bool = True
) -> AnswerDifference:
    """Return what is different; of other shards, what depends on them is left out."""
    if one.error or other.error:
        # The messages name nodes, lines and classes; the status says what a client can react to.
        same = one.error and other.error and one.failed_status == other.failed_status
        return AnswerDifference() if same else AnswerDifference(AnswerKind.ERROR, 10.0)
    if one.found != other.found:
        larger = max(one.found or 0, other.found or 0, 1)
        share = abs((one.found or 0) - (other.found or 0)) / larger
        return AnswerDifference(AnswerKind.FOUND, 1.0 + share)
    if same_shards or not one.by_score:
        different = _compare_documents(one, other)
        if different.kind is not None:
            return different
    if digests(one, same_shards=same_shards) != digests(other, same_shards=same_shards):
        return AnswerDifference(AnswerKind.FACETS, 0.1)
    shift = _score_shift(one, other) if same_shards and not _vary(one, other) else 0.0
    if shift > SCORE_TOLERANCE:
        return AnswerDifference(AnswerKind.SCORES, min(shift, 0.09))
    return AnswerDifference()


def digests(answer: QueryAnswer, *, same_shards: bool = True) -> dict[str, str]:
    """Return the digest of each facet that can be compared."""
    return {
        name: facet.digest
        for name, facet in answer.facets.items()
        if same_shards or not facet.approximate
    }


def _compare_documents(one: QueryAnswer, other: QueryAnswer) -> AnswerDifference:
    """Return which documents come first, and in which order."""
    length = min(len(one.ids), len(other.ids))
    if lost := _lost(one, other, length) | _lost(other, one, length):
        return AnswerDifference(AnswerKind.MISSING, len(lost) / max(length, 1))
    moved = _inverted(one, other) or (0.0 if one.by_score else _misplaced(one, other))
    return AnswerDifference(AnswerKind.ORDER, moved) if moved else AnswerDifference()


def _vary(one: QueryAnswer, other: QueryAnswer) -> bool:
    return one.scores_vary or other.scores_vary


def _tied(one: Rank, other: Rank) -> bool:
    return all(
        _deviation(a, b) <= SCORE_TOLERANCE
        if isinstance(a, float) and isinstance(b, float)
        else a == b
        for a, b in zip(one, other, strict=False)
    )


def _deviation(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), 1e-30)


def _lost(one: QueryAnswer, other: QueryAnswer, length: int) -> set[str]:
    """Return the documents that only one side has, beyond ties at the end of the list."""
    lost = [index for index, each in enumerate(one.ids[:length]) if each not in other.ids]
    # Where all that was found is listed, no other document can have taken the place of a tie; nor
    # where the other list ends at another value.
    if (one.found or 0) > length and length:
        end, others = one.ranks[length - 1], other.ranks[length - 1]
        if _vary(one, other) or _tied(end, others):
            lost = [index for index in lost if not _tied(one.ranks[index], end)]
    return {one.ids[index] for index in lost}


def _inverted(one: QueryAnswer, other: QueryAnswer) -> float:
    """Return the share of pairs whose order is the other way round, and tied on neither side."""
    ours = dict(zip(one.ids, one.ranks, strict=False))
    theirs = dict(zip(other.ids, other.ranks, strict=False))
    common = [each for each in one.ids if each in theirs]
    places = {each: place for place, each in enumerate(other.ids)}
    pairs = list(combinations(common, 2))
    inverted = sum(
        places[a] > places[b] and not _tied(ours[a], ours[b]) and not _tied(theirs[a], theirs[b])
        for a, b in pairs
    )
    return inverted / max(len(pairs), 1)


def _misplaced(one: QueryAnswer, other: QueryAnswer) -> float:
    """Return the share of places with other documents, of another value: a tie has the same."""
    ours, theirs = (zip(each.ids, each.ranks, strict=False) for each in (one, other))
    places = list(zip(ours, theirs, strict=False))
    return sum(a != b and not _tied(x, y) for (a, x), (b, y) in places) / max(len(places), 1)


def _score_shift(one: QueryAnswer, other: QueryAnswer) -> float:
    """Return the largest relative difference of the scores of a document; 0 without scores."""
    if not one.by_score:
        return 0.0
    theirs = dict(zip(other.ids, other.ranks, strict=False))
    return max(
        (
            _deviation(a, b)
            for key, ranks in zip(one.ids, one.ranks, strict=False)
            for a, b in zip(ranks, theirs.get(key, []), strict=False)
            if isinstance(a, float) and isinstance(b, float)
        ),
        default=0.0,
    )
