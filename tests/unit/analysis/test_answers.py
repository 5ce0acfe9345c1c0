"""Answers of a modelled Solr beside each other: planted changes, and sides that are equal."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from math import log
from zlib import crc32

import orjson
import pytest
from pydantic import ValidationError

from solrbench.analysis.answer_differences import AnswerKind, compare_answer, skip_reason
from solrbench.analysis.answers import (
    FIELDS_OF_KINDS,
    ComparedAnswers,
    answers_text,
    compare_answers,
)
from solrbench.api.v1alpha1.comparisons import AnswerConclusion
from solrbench.contract.answers import (
    MAX_ANSWER_BYTES,
    FacetAnswer,
    QueryAnswer,
    Skipped,
    StoredAnswers,
    pack_answers,
)

DOCUMENTS, TERMS, QUERIES, FIRST = 1000, 300, 60, 10


@dataclass(frozen=True)
class Document:
    name: str
    terms: tuple[int, ...]
    category: int
    price: int


@dataclass(frozen=True)
class Side:
    """How a target indexes, ranks and lays out its documents."""

    k1: float = 1.2
    boost: float = 1.0
    stems: bool = False
    facets_by_index: bool = False
    deleted: frozenset[str] = field(default_factory=frozenset)
    layout: int = 0
    rounding: float = 0.0


@cache
def make_documents(seed: int) -> tuple[Document, ...]:
    draw = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(TERMS)]
    return tuple(
        Document(
            f"doc-{number:05d}",
            tuple(draw.choices(range(TERMS), weights, k=draw.randint(4, 16))),
            draw.randrange(8),
            draw.randrange(40),
        )
        for number in range(DOCUMENTS)
    )


@cache
def postings(documents: tuple[Document, ...]) -> dict[int, list[Document]]:
    found: dict[int, list[Document]] = {}
    for document in documents:
        for term in set(document.terms):
            found.setdefault(term, []).append(document)
    return found


def answer(side: Side, documents: tuple[Document, ...], number: int) -> QueryAnswer:
    """Return what a side answers to the query of a number."""
    draw = random.Random(f"query {number}")
    words = set(draw.sample(range(2, 40), draw.randint(1, 2)))
    by_price, with_facets = number % 5 == 0, number % 3 == 0
    if side.stems:
        words |= {word ^ 1 for word in words}
    of_terms = postings(documents)
    hits = {
        word: [each for each in of_terms.get(word, []) if each.name not in side.deleted]
        for word in sorted(words)
    }
    scores: dict[Document, float] = {}
    for word, present in hits.items():
        inverse = log(1 + DOCUMENTS / (1 + len(present)))
        for document in present:
            frequency = document.terms.count(word)
            length = 0.25 + 0.75 * len(document.terms) / 10
            part = inverse * frequency / (frequency + side.k1 * length)
            scores[document] = scores.get(document, 0.0) + part
    noise = random.Random(f"{side.layout} {number}")
    for document in scores:
        boost = side.boost if document.category == 3 else 1.0
        scores[document] *= boost * (1 + side.rounding * noise.uniform(-1, 1))
    # Ties are in the order of the index, which is another in each layout and replica.
    places = {each: crc32(f"{side.layout} {each.name}".encode()) for each in scores}
    ranked = sorted(
        scores, key=lambda each: (each.price if by_price else -round(scores[each], 5), places[each])
    )[:FIRST]
    facets = {}
    if with_facets:
        categories = Counter(each.category for each in scores)
        order = sorted(categories.items(), key=lambda pair: (-pair[1], pair[0]))
        shown = sorted(order) if side.facets_by_index else order
        facets["category_s"] = FacetAnswer(digest=str(shown), text=str(shown)[:80])
    return QueryAnswer(
        key=str(number),
        query=f"q=query {number}",
        found=len(scores),
        ids=[each.name for each in ranked],
        ranks=[[float(each.price) if by_price else scores[each]] for each in ranked],
        by_score=not by_price,
        facets=facets,
    )


def answers_of(side: Side, documents: tuple[Document, ...], **fields: object) -> StoredAnswers:
    answers = [answer(side, documents, number) for number in range(QUERIES)]
    return pack_answers(
        answers, StoredAnswers.model_validate({"first": FIRST, **fields}), MAX_ANSWER_BYTES
    )


def compare(one: StoredAnswers, other: StoredAnswers) -> ComparedAnswers:
    return compare_answers(one, other, "9.8.1", "9.10.1")


def stale(documents: tuple[Document, ...]) -> frozenset[str]:
    """Return what a shard of four lacks that has missed the last tenth of the documents."""
    late = documents[-DOCUMENTS // 10 :]
    return frozenset(each.name for number, each in enumerate(late) if number % 4 == 0)


RANKED = {AnswerKind.ORDER, AnswerKind.MISSING, AnswerKind.SCORES}
PLANTED: dict[str, tuple[Callable[[tuple[Document, ...]], Side], set[AnswerKind]]] = {
    "analysis": (lambda _: Side(stems=True), {AnswerKind.FOUND}),
    "similarity": (lambda _: Side(k1=1.6), RANKED),
    "deleted": (
        lambda documents: Side(
            deleted=frozenset({max(documents, key=lambda each: len(set(each.terms))).name})
        ),
        {AnswerKind.FOUND},
    ),
    "facet sort": (lambda _: Side(facets_by_index=True), {AnswerKind.FACETS}),
    "boost": (lambda _: Side(boost=1.3), RANKED),
    "stale shard": (lambda documents: Side(deleted=stale(documents)), {AnswerKind.FOUND}),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", range(10))
def test_a_planted_change_is_named_with_its_kind(name: str, seed: int) -> None:
    documents = make_documents(seed)
    change, kinds = PLANTED[name]
    changed = replace(change(documents), layout=1, rounding=1e-7)
    found = compare(answers_of(Side(), documents), answers_of(changed, documents))
    assert found.conclusion is AnswerConclusion.DIFFER
    counts = {kind: getattr(found, field) for kind, field in FIELDS_OF_KINDS.items()}
    assert max(counts, key=lambda kind: counts[kind]) in kinds, answers_text(found)
    assert sum(counts.values()) == found.different
    assert all(each.baseline != each.candidate for each in found.examples)


@pytest.mark.parametrize("seed", range(100))
def test_equal_sides_are_not_accused(seed: int) -> None:
    documents = make_documents(seed % 10)
    one = answers_of(Side(layout=2 * seed, rounding=1e-7), documents)
    other = answers_of(Side(layout=2 * seed + 1, rounding=1e-6), documents)
    found = compare(one, other)
    assert found.conclusion is AnswerConclusion.SAME_ANSWERS, found.examples
    assert found.queries == QUERIES


def test_words_of_a_comparison() -> None:
    documents = make_documents(0)
    changed = Side(deleted=frozenset(each.name for each in documents[:2]))
    found = compare(answers_of(Side(), documents), answers_of(changed, documents))
    share = f"{100 * found.different / QUERIES:.1f}".rstrip("0").rstrip(".")
    text = answers_text(found)
    assert text.startswith(f"Differ: {found.different} of {QUERIES} queries ({share}"), text
    assert "numFound" in text
    assert len(found.examples) <= 10
    assert len(found.summary.model_dump_json()) < 2000


def one_answer(**fields: object) -> QueryAnswer:
    whole = {
        "key": "a",
        "query": "q=a",
        "found": 20,
        "ids": ["a", "b", "c"],
        "ranks": [[3.0], [2.0], [1.0]],
        "by_score": True,
    }
    return QueryAnswer.model_validate(whole | fields)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, None),
        ({"ids": ["b", "a", "c"]}, AnswerKind.ORDER),
        ({"ids": ["b", "a", "c"], "ranks": [[3.0], [3.0], [1.0]]}, AnswerKind.SCORES),
        ({"ids": ["a", "b", "d"]}, None),  # c and d are tied at the end of the list
        ({"ids": ["a", "d", "c"]}, AnswerKind.MISSING),
        ({"found": 19}, AnswerKind.FOUND),
        ({"ranks": [[3.000001], [2.0], [1.0]]}, None),
        ({"ranks": [[3.1], [2.0], [1.0]]}, AnswerKind.SCORES),
        ({"ranks": [[3.1], [2.0], [1.0]], "scores_vary": True}, None),
        ({"facets": {"f": {"digest": "x"}}}, AnswerKind.FACETS),
        ({"error": "HTTP 400: undefined field"}, AnswerKind.ERROR),
    ],
)
def test_kinds(fields: dict[str, object], kind: AnswerKind | None) -> None:
    assert compare_answer(one_answer(), one_answer(**fields)).kind is kind
    assert compare_answer(one_answer(**fields), one_answer()).kind is kind


def test_a_list_of_all_documents_has_no_ties_at_its_end() -> None:
    one, other = one_answer(found=3), one_answer(found=3, ids=["a", "b", "d"])
    assert compare_answer(one, other).kind is AnswerKind.MISSING


def sorted_answer(name: str, *values: float | str | None) -> QueryAnswer:
    """Return documents of a name that are ordered by a field with these values."""
    ids = [f"{name}-{number}" for number in range(len(values))]
    return one_answer(ids=ids, ranks=[[each] for each in values], by_score=False)


def test_other_documents_that_are_tied_at_another_value_are_missing() -> None:
    one, other = sorted_answer("a", 5.0, 5.0), sorted_answer("b", 5.0, 5.0)
    assert compare_answer(one, other).kind is None
    other = sorted_answer("b", 7.0, 7.0)
    assert compare_answer(one, other).kind is AnswerKind.MISSING


def test_order_of_documents_that_are_tied_on_one_side_only_is_another_one() -> None:
    one = sorted_answer("a", "1", "1")
    other = one.model_copy(update={"ids": one.ids[::-1], "ranks": [["2"], ["1"]]})
    assert compare_answer(one, other).kind is AnswerKind.ORDER
    assert compare_answer(other, one).kind is AnswerKind.ORDER
    other = one.model_copy(update={"ids": one.ids[::-1]})
    assert compare_answer(one, other).kind is None


def test_an_order_by_what_solr_does_not_return_is_not_compared() -> None:
    one, other = sorted_answer("a", None, None), sorted_answer("b", None, None)
    assert skip_reason(one, other) is Skipped.NO_RANK
    assert skip_reason(one, sorted_answer("a", None, None)) is None
    assert skip_reason(one, other.model_copy(update={"found": 3})) is None
    # One document may be without a value.
    assert skip_reason(sorted_answer("a", "1", None), sorted_answer("b", "1", None)) is None


def test_errors_of_one_status_are_the_same_and_counted() -> None:
    one, other = (one_answer(error=f"HTTP 400: at {node}") for node in ("a", "b"))
    assert compare_answer(one, other).kind is None
    refused = one_answer(error="HTTP 401")
    assert compare_answer(refused, one).kind is AnswerKind.ERROR
    (note,) = [each for each in compare(stored(one), stored(other)).notes if "fail" in each]
    assert note.startswith("1 fail on both sides with HTTP 400")


def test_queries_without_a_response_on_both_sides_are_not_compared() -> None:
    late, lost = one_answer(error="no response in time"), one_answer(error="ConnectError: refused")
    found = compare(stored(late), stored(lost))
    assert found.conclusion is None
    assert found.not_compared == "1 got no response that could be read on either side"
    assert compare(stored(late), stored(one_answer())).errors == 1


def stored(*answers: QueryAnswer, **fields: object) -> StoredAnswers:
    known = StoredAnswers.model_validate({"first": FIRST, **fields})
    return pack_answers(answers, known, MAX_ANSWER_BYTES)


def test_other_shards_are_compared_without_scores() -> None:
    one = stored(one_answer(), layout="1 shards, compositeId")
    other = stored(one_answer(ids=["c", "b", "a"]), layout="2 shards, compositeId")
    found = compare(one, other)
    assert found.conclusion is AnswerConclusion.SAME_ANSWERS
    assert "each shard weighs terms by its own documents" in found.notes[0]


def test_facets_that_shards_count_approximately_are_compared_on_one_layout_only() -> None:
    one, other = (
        one_answer(facets={"f": {"digest": digest, "approximate": True}}) for digest in "ab"
    )
    here, there = "1 shards, compositeId", "2 shards, compositeId"
    assert compare(stored(one, layout=here), stored(other, layout=there)).different == 0
    assert compare(stored(one, layout=here), stored(other, layout=here)).facets == 1


def test_an_unknown_layout_is_noted() -> None:
    found = compare(stored(one_answer()), stored(one_answer(), layout="1 shards, compositeId"))
    assert "the shards of one side are unknown" in found.notes[0]


def test_what_is_not_compared_is_said_with_a_remedy() -> None:
    kept = stored(one_answer())
    assert "set spec.comparison.answers" in (
        compare_answers(None, kept, "a", "b").not_compared or ""
    )
    broken = StoredAnswers(first=10, problem="the schema has no uniqueKey; add one")
    assert "uniqueKey" in (compare(broken, kept).not_compared or "")
    assert "no query in common" in (compare(kept, stored(one_answer(key="b"))).not_compared or "")
    damaged = kept.model_copy(update={"packed": "!"})
    assert "damaged" in (compare(kept, damaged).not_compared or "")
    skipped = stored(one_answer(skipped=Skipped.USES_NOW), one_answer(key="b"))
    found = compare(skipped, stored(one_answer(), one_answer(key="b"), fewer_rows=7))
    assert (found.queries, found.skipped) == (1, 1)
    assert any("spec.comparison.answers.first" in note for note in found.notes)
    more = stored(one_answer(), one_answer(key="b"))
    notes = compare(stored(one_answer(), fewer_rows=1, not_queries=1), more).notes
    assert any(note.startswith("1 query answered by one side only") for note in notes)


def test_answers_of_5000_queries_fit_into_2_mebibytes() -> None:
    draw = random.Random(1)
    answers = [
        QueryAnswer(
            key=f"{draw.getrandbits(48):012x}",
            query="q=" + " ".join(f"word{draw.randrange(50_000)}" for _ in range(4)),
            found=draw.randrange(100_000),
            ids=[f"doc-{draw.randrange(10**9):09d}" for _ in range(10)],
            ranks=[[round(draw.uniform(1, 20), 6)] for _ in range(10)],
            by_score=True,
        )
        for _ in range(5000)
    ]
    kept = stored(*answers)
    assert (kept.queries, kept.left_out) == (5000, 0)
    assert len(kept.packed) <= MAX_ANSWER_BYTES
    assert kept.unpack() == answers
    less = pack_answers(answers, StoredAnswers(first=10), 100_000)
    assert len(less.packed) <= 100_000
    assert less.queries + less.left_out == 5000


def test_answers_that_would_take_too_much_memory_are_left_out() -> None:
    text = orjson.dumps([[f"word{n}", 800_000 - n] for n in range(5)]).decode()
    facets = {f"field{n}": FacetAnswer(digest="0123456789ab", text=text) for n in range(8)}
    kept = stored(*(QueryAnswer(key=f"{n:012x}", query="q", facets=facets) for n in range(5000)))
    assert len(kept.packed) < MAX_ANSWER_BYTES / 2
    assert len(kept.unpack()) == kept.queries
    assert kept.left_out == 5000 - kept.queries > 0


def test_answers_of_another_program_may_lack_what_ours_have() -> None:
    sides = (
        QueryAnswer(key="a", query="q", found=2, ids=["1", "2"]),
        QueryAnswer(key="a", query="q", ids=["2", "1"], ranks=[[1.0]]),
    )
    one, other = (pack_answers([each], StoredAnswers(first=10), 10_000) for each in sides)
    found = compare_answers(one, other, "before", "after")
    assert (found.conclusion, found.num_found) == (AnswerConclusion.DIFFER, 1)
    assert found.examples[0].candidate == "0 found: 2"
    with pytest.raises(ValidationError):
        StoredAnswers(first=101)
