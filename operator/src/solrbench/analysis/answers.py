"""The answers of two targets beside each other: how many queries differ and in what, in words."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from pydantic import Field

from solrbench.analysis.answer_differences import AnswerKind, compare_answer, digests, skip_reason
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import AnswerComparison, AnswerConclusion
from solrbench.api.v1alpha1.conditions import StatusModel
from solrbench.contract.answers import QueryAnswer, StoredAnswers
from solrbench.contract.foreign import ForeignDataError
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.number_format import count_noun, format_share

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
