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

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import AnswerComparison, AnswerConclusion
from solrbench.api.v1alpha1.conditions import StatusModel
from solrbench.contract.answers import QueryAnswer, Rank, StoredAnswers
from solrbench.contract.foreign import ForeignDataError
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.number_format import format_share

SCORE_TOLERANCE = 1e-5
"""Relative; floats of 32 bits, added in another order, differ by some 1e-6."""

MAX_EXAMPLES = 10
MAX_TEXT = 300
MAX_PROBLEM = 500
_MAX_NAMED = 3


class AnswerKind(StrEnum):
    """What is different, the first that applies; the values are the words of sentences."""

    ERROR = "errors"
    FOUND = "numFound"
    MISSING = "missing documents"
    ORDER = "order"
    FACETS = "facets"
    SCORES = "scores"


_FIELDS = {
    AnswerKind.ERROR: "errors",
    AnswerKind.FOUND: "num_found",
    AnswerKind.MISSING: "missing_documents",
    AnswerKind.ORDER: "order",
    AnswerKind.FACETS: "facets",
    AnswerKind.SCORES: "scores",
}


@dataclass(frozen=True)
class AnswerDifference:
    """Two answers to one query; `kind` is None if they are the same.

    `change` is larger the more they differ, for the order of examples.
    """

    kind: AnswerKind | None = None
    change: float = 0.0


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


def compare_answer(
    one: QueryAnswer, other: QueryAnswer, *, by_rank: bool = True
) -> AnswerDifference:
    """Return what is different; without `by_rank`, documents that scores choose are left out."""
    if one.error or other.error:
        # The messages name nodes, lines and classes; the status says what a client can react to.
        same = one.error.partition(":")[0] == other.error.partition(":")[0]
        return AnswerDifference() if same else AnswerDifference(AnswerKind.ERROR, 10.0)
    if one.found != other.found:
        larger = max(one.found or 0, other.found or 0, 1)
        share = abs((one.found or 0) - (other.found or 0)) / larger
        return AnswerDifference(AnswerKind.FOUND, 1.0 + share)
    different = AnswerDifference()
    if by_rank or not one.by_score:
        different = _compare_documents(one, other)
    if different.kind is not None:
        return different
    if _digests(one) != _digests(other):
        return AnswerDifference(AnswerKind.FACETS, 0.1)
    vary = one.scores_vary or other.scores_vary
    shift = _score_shift(one, other) if by_rank and not vary else 0.0
    if shift > SCORE_TOLERANCE:
        return AnswerDifference(AnswerKind.SCORES, min(shift, 0.09))
    return different


def _compare_documents(one: QueryAnswer, other: QueryAnswer) -> AnswerDifference:
    """Return which documents come first, and in which order."""
    if missing := _missing(one, other):
        return AnswerDifference(AnswerKind.MISSING, missing)
    if inverted := _inverted(one, other):
        return AnswerDifference(AnswerKind.ORDER, inverted)
    return AnswerDifference()


def _digests(answer: QueryAnswer) -> dict[str, str]:
    return {name: facet.digest for name, facet in answer.facets.items()}


def _tied(one: Rank, other: Rank) -> bool:
    return all(
        _deviation(a, b) <= SCORE_TOLERANCE
        if isinstance(a, float) and isinstance(b, float)
        else a == b
        for a, b in zip(one, other, strict=False)
    )


def _deviation(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), 1e-30)


def _missing(one: QueryAnswer, other: QueryAnswer) -> float:
    """Return the share of documents that only one side has, beyond ties at the end of the list."""
    length = min(len(one.ids), len(other.ids))
    lost = _lost(one, other, length) | _lost(other, one, length)
    return len(lost) / max(length, 1)


def _lost(one: QueryAnswer, other: QueryAnswer, length: int) -> set[str]:
    lost = [index for index, each in enumerate(one.ids[:length]) if each not in other.ids]
    # Where all that was found is listed, no other document can have taken the place of a tie.
    if (one.found or 0) > length and length:
        lost = [index for index in lost if not _tied(one.ranks[index], one.ranks[length - 1])]
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
    common = [key for key in before if key in after]
    skipped = Counter(
        reason
        for key in common
        if (reason := before[key].skipped or after[key].skipped) is not None
    )
    pairs = [
        (before[key], after[key])
        for key in common
        if before[key].skipped is None and after[key].skipped is None
    ]
    if not pairs:
        words = ", ".join(f"{number} {reason}" for reason, number in skipped.most_common())
        return ComparedAnswers(
            **named,
            skipped=sum(skipped.values()),
            not_compared=words
            or f"{baseline_name} and {candidate_name} have no query in common; give both the same"
            " spec.workload and seed",
        )
    by_rank = not _differs(baseline.layout, candidate.layout)
    first = min(baseline.first, candidate.first)
    found = [
        (compare_answer(_cut(one, first), _cut(other, first), by_rank=by_rank), one, other)
        for one, other in pairs
    ]
    different = [each for each in found if each[0].kind is not None]
    counts = Counter(each.kind for each, _, _ in different)
    notes = [f"{number} {reason}" for reason, number in skipped.most_common(_MAX_NAMED)]
    return ComparedAnswers(
        **named,
        conclusion=AnswerConclusion.DIFFER if different else AnswerConclusion.SAME_ANSWERS,
        queries=len(pairs),
        different=len(different),
        **{field: counts[kind] for kind, field in _FIELDS.items()},
        skipped=sum(skipped.values()),
        notes=[*notes, *_notes(baseline, candidate, len(before), len(after), len(common))],
        examples=[
            _example(*each)
            for each in sorted(different, key=lambda each: -each[0].change)[:MAX_EXAMPLES]
        ],
    )


def _differs(one: str, other: str) -> bool:
    return bool(one and other and one != other)


def _cut(answer: QueryAnswer, first: int) -> QueryAnswer:
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


def _notes(
    baseline: StoredAnswers, candidate: StoredAnswers, before: int, after: int, common: int
) -> list[str]:
    """Return what a reader must know of the comparison, each with its remedy."""
    notes = []
    if _differs(baseline.layout, candidate.layout):
        notes.append(
            f"documents that scores choose are not compared: {baseline.layout} beside"
            f" {candidate.layout}, and each shard weighs terms by its own documents"
        )
    for stored, number in ((baseline, before), (candidate, after)):
        if number > common or stored.left_out:
            notes.append(
                f"{number - common + stored.left_out} queries were answered by one side only, or"
                " not in time; give both the same workload and seed, or lower"
                " spec.comparison.answers.queries"
            )
            break
    if candidate.fewer_rows:
        notes.append(
            f"{candidate.fewer_rows} queries ask for fewer than {candidate.first} documents; raise"
            " their rows, or lower spec.comparison.answers.first"
        )
    if candidate.not_queries:
        notes.append(
            f"{candidate.not_queries} entries of workload.mix are updates or transactions, which"
            " are not compared"
        )
    return notes


def _example(difference: AnswerDifference, one: QueryAnswer, other: QueryAnswer) -> AnswerExample:
    kind = difference.kind or AnswerKind.SCORES
    return AnswerExample(
        query=one.query,
        kind=kind,
        baseline=_shown(one, other, kind),
        candidate=_shown(other, one, kind),
    )


def _shown(answer: QueryAnswer, other: QueryAnswer, kind: AnswerKind) -> str:
    if answer.error:
        return answer.error[:MAX_TEXT]
    if kind is AnswerKind.FACETS:
        theirs = _digests(other)
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
    return f"{answer.found:,} found: {', '.join(ids)}"[:MAX_TEXT]


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
        for kind, field in _FIELDS.items()
        if (number := getattr(compared, field))
    )
    return f"Differ: {compared.different:,} of {compared.queries:,} queries ({share}): {kinds}"


def different_queries(compared: AnswerComparison) -> str:
    """Return `31 of 1,000 queries`, or `all 1,000 queries` if none is different."""
    part = f"{compared.different:,} of" if compared.different else "all"
    return f"{part} {compared.queries:,} queries"


def answer_answers(spec: Spec, status: Status) -> Iterator[str]:
    """Yield a sentence for each comparison of answers in a status."""
    del spec
    yield from answer_sentences(status.answer_comparisons)


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
    """Return the answers through each variant, of the first step run that has some."""
    found: dict[str, StoredAnswers] = {}
    for document in sorted(documents, key=lambda document: document.start_time):
        if document.answers is not None:
            found.setdefault(document.variant, document.answers)
    return found


def first_answers(documents: Iterable[StepRunResult]) -> StoredAnswers | None:
    """Return the answers through the first variant; None if there are none."""
    return next(iter(stored_answers(documents).values()), None)


def compare_variant_answers(
    answers: Mapping[str, StoredAnswers],
    known: Collection[tuple[str, str]] = (),
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
