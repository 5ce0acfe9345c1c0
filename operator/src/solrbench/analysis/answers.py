"""Do two targets answer the same? Query by query, without what is no difference.

No difference are documents of one score, or of one value of the sort, in another order, also at the
end of the list where others of the same value follow; scores that differ by less than the rounding
of floats; and whatever one side does not answer the same twice.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from pydantic import Field

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import AnswerComparison, AnswerConclusion
from solrbench.api.v1alpha1.conditions import StatusModel
from solrbench.contract.answers import QueryAnswer, Rank, Skipped, StoredAnswers
from solrbench.contract.foreign import ForeignDataError
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.number_format import count_noun, format_share

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


MAX_EXAMPLES = 10
MAX_TEXT = 300
MAX_PROBLEM = 500
_MAX_NAMED = 3

FIELDS_OF_KINDS = {
    AnswerKind.ERROR: "errors",
    AnswerKind.FOUND: "num_found",
    AnswerKind.MISSING: "missing_documents",
    AnswerKind.ORDER: "order",
    AnswerKind.FACETS: "facets",
    AnswerKind.SCORES: "scores",
}
"""Where a comparison counts the queries of a kind."""


class AnswerExample(StatusModel):
    """One query that is answered differently."""

    query: str
    """The query, cut."""
    kind: str
    """errors, numFound, missing documents, order, facets or scores."""
    baseline: str
    """What the baseline answers, in short."""
    candidate: str
    """What the other one answers."""


class ComparedAnswers(AnswerComparison):
    """A comparison with its examples, as reports have it."""

    examples: list[AnswerExample] = Field(default=[], max_length=MAX_EXAMPLES)
    """The queries whose answers changed most."""

    @property
    def summary(self) -> AnswerComparison:
        """The same without examples, as the status has it."""
        return AnswerComparison(**self.model_dump(exclude={"examples"}))


def compare_answers(
    baseline: StoredAnswers | None,
    candidate: StoredAnswers | None,
    baseline_name: str,
    candidate_name: str,
) -> ComparedAnswers:
    """Return what two sides answer; why they cannot be compared is in `not_compared`."""
    named = {"baseline": baseline_name, "candidate": candidate_name}
    problem = _problem(baseline, candidate, baseline_name, candidate_name)
    if problem or baseline is None or candidate is None:
        return ComparedAnswers(**named, not_compared=problem[:MAX_PROBLEM])
    try:
        before = {each.key: each for each in baseline.unpack()}
        after = {each.key: each for each in candidate.unpack()}
    except ForeignDataError as error:
        return ComparedAnswers(**named, not_compared=f"the stored answers are damaged: {error}")
    first = min(baseline.first, candidate.first)
    common = [(_cut(before[key], first), _cut(after[key], first)) for key in before if key in after]
    reasons = [skip_reason(*pair) for pair in common]
    skipped = Counter(each for each in reasons if each is not None)
    pairs = [pair for pair, reason in zip(common, reasons, strict=True) if reason is None]
    if not pairs:
        words = ", ".join(f"{number} {reason}" for reason, number in skipped.most_common())
        return ComparedAnswers(
            **named,
            skipped=skipped.total(),
            not_compared=words
            or f"{baseline_name} and {candidate_name} have no query in common; give both the same"
            " spec.workload and seed",
        )
    layouts = {baseline.layout, candidate.layout}
    same_shards = "" in layouts or len(layouts) == 1
    found = [(compare_answer(*pair, same_shards=same_shards), *pair) for pair in pairs]
    different = [each for each in found if each[0].kind is not None]
    different.sort(key=lambda each: -each[0].change)
    counts = Counter(each.kind for each, _, _ in different)
    return ComparedAnswers(
        **named,
        conclusion=AnswerConclusion.DIFFER if different else AnswerConclusion.SAME_ANSWERS,
        queries=len(pairs),
        different=len(different),
        **{field: counts[kind] for kind, field in FIELDS_OF_KINDS.items()},
        skipped=skipped.total(),
        notes=[
            *(f"{number} {reason}" for reason, number in skipped.most_common(_MAX_NAMED)),
            *_query_notes(pairs),
            *_notes(baseline, candidate, len(before), len(after), len(common)),
        ],
        examples=[
            AnswerExample(
                query=one.query,
                kind=difference.kind or AnswerKind.SCORES,
                baseline=_shown(one, other, difference.kind),
                candidate=_shown(other, one, difference.kind),
            )
            for difference, one, other in different[:MAX_EXAMPLES]
        ],
    )


def _cut(answer: QueryAnswer, first: int) -> QueryAnswer:
    first = min(first, len(answer.ranks))  # what another program has stored may lack some
    if len(answer.ids) <= first:
        return answer
    return answer.model_copy(update={"ids": answer.ids[:first], "ranks": answer.ranks[:first]})


def _problem(
    baseline: StoredAnswers | None,
    candidate: StoredAnswers | None,
    baseline_name: str,
    candidate_name: str,
) -> str:
    for stored, name in ((baseline, baseline_name), (candidate, candidate_name)):
        if stored is None:
            return (
                f"{name} has no stored answers; set spec.comparison.answers in it and measure it"
                " again"
            )
        if stored.problem:
            return f"{name}: {stored.problem}"
    return ""


def _query_notes(pairs: Iterable[tuple[QueryAnswer, QueryAnswer]]) -> Iterator[str]:
    failed = Counter(
        one.failed_status
        for one, other in pairs
        if one.failed_status and one.failed_status == other.failed_status
    )
    for status, number in failed.most_common(_MAX_NAMED):
        yield f"{number} fail on both sides with {status}, and count as the same; correct them"


def _notes(
    baseline: StoredAnswers, candidate: StoredAnswers, before: int, after: int, common: int
) -> Iterator[str]:
    """Yield what a reader must know of both sides, each with its remedy."""
    if not baseline.layout or not candidate.layout:
        yield (
            "the shards of one side are unknown; if both have others, scores and estimated facets"
            " differ by themselves; allow reading of /admin/collections"
        )
    elif baseline.layout != candidate.layout:
        yield (
            "documents that scores choose, and facets that shards may only estimate, are not"
            f" compared: {baseline.layout} beside {candidate.layout}, and each shard weighs terms"
            " by its own documents"
        )
    # Of two sides with such queries, the baseline's are named.
    for stored, number in ((baseline, before), (candidate, after)):
        if number > common or stored.left_out:
            yield (
                f"{count_noun(number - common + stored.left_out, 'query', 'queries')} answered by"
                " one side only, or not in time; give both the same workload and seed, or lower"
                " spec.comparison.answers.queries"
            )
            break
    if candidate.fewer_rows:
        yield (
            f"{count_noun(candidate.fewer_rows, 'query', 'queries')} for fewer than"
            f" {candidate.first} documents; raise rows, or lower spec.comparison.answers.first"
        )
    if candidate.not_queries:
        yield (
            f"{count_noun(candidate.not_queries, 'entry', 'entries')} of workload.mix with updates"
            " or transactions, which are not compared"
        )


def _shown(answer: QueryAnswer, other: QueryAnswer, kind: AnswerKind | None) -> str:
    if answer.error:
        return answer.error[:MAX_TEXT]
    if kind is AnswerKind.FACETS:
        theirs = digests(other)
        parts = [
            f"{name}: {facet.text}"
            for name, facet in answer.facets.items()
            if theirs.get(name) != facet.digest
        ]
        return "; ".join(parts)[:MAX_TEXT] or "no such facet"
    ids = list(answer.ids)
    if kind is AnswerKind.SCORES:
        ids = [
            f"{key} ({', '.join(map(_value, rank))})"
            for key, rank in zip(answer.ids, answer.ranks, strict=False)
        ]
    return f"{answer.found or 0:,} found: {', '.join(ids)}"[:MAX_TEXT]


def _value(value: float | str | None) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def answers_text(compared: AnswerComparison) -> str:
    """Return the conclusion of a comparison in words, with its kinds."""
    if compared.conclusion is None:
        return f"Not compared: {compared.not_compared}"
    if compared.conclusion is AnswerConclusion.SAME_ANSWERS:
        return f"SameAnswers to {compared.queries:,} queries"
    share = format_share(compared.different, compared.queries)
    kinds = ", ".join(
        f"{number} {kind}"
        for kind, field in FIELDS_OF_KINDS.items()
        if (number := getattr(compared, field))
    )
    return f"Differ: {compared.different:,} of {compared.queries:,} queries ({share}): {kinds}"


def different_queries(compared: AnswerComparison) -> str:
    """Return `31 of 1,000 queries`, or `all 1,000 queries` if none is different."""
    part = f"{compared.different:,} of" if compared.different else "all"
    return f"{part} {compared.queries:,} queries"


def answer_sentences(comparisons: Iterable[AnswerComparison]) -> Iterator[str]:
    """Yield a sentence for each comparison with a conclusion."""
    for each in comparisons:
        if each.conclusion is not None:
            how = "differently than" if each.different else "like"
            yield f"{each.candidate} answers {different_queries(each)} {how} {each.baseline}."


def asks_queries(spec: Spec) -> bool:
    """Return whether a benchmark keeps the answers to its queries."""
    answers = spec.comparison.answers
    return answers is not None and answers.queries > 0 and bool(spec.workload.entries)


def stored_answers(documents: Iterable[StepRunResult]) -> dict[str, StoredAnswers]:
    """Return the answers through each variant, in the order of the spec, of its first step run."""
    found: dict[str, StoredAnswers] = {}
    # Ids begin with repeat and place of the variant; in which order these are measured may differ.
    for document in sorted(documents, key=lambda document: document.id):
        if document.answers is not None:
            found.setdefault(document.variant, document.answers)
    return found


def first_answers(documents: Iterable[StepRunResult]) -> StoredAnswers | None:
    """Return the answers through the first variant; None if there are none."""
    return next(iter(stored_answers(documents).values()), None)


def compare_variant_answers(
    answers: Mapping[str, StoredAnswers], known: Collection[tuple[str, str]] = ()
) -> list[ComparedAnswers]:
    """Return the answers through each variant beside those through the first one.

    Pairs that are `known`, as candidate and baseline, are left out.
    """
    first, *others = answers or [""]
    return [
        compare_answers(answers[first], answers[each], first, each)
        for each in others
        if (each, first) not in known
    ]
