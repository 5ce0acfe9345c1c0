from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.request_mix import GeneratedUpdates, Order, Updates
from solrbench.load.errors import LoadError
from solrbench.load.master.result_store import ListOffsets
from solrbench.load.workload import requests as http_requests
from solrbench.load.workload.loader import load_workload
from solrbench.load.workload.name_table import RequestCounter, entry_choices
from solrbench.load.workload.request_mix import (
    DocumentSource,
    FileSource,
    GeneratedSource,
    PreparedWorkload,
    QuerySource,
    UpdateSource,
)
from solrbench.load.workload.requests import PreparedRequest
from support.failing import failing
from support.load.builders import assignment, plan_of, queries_spec, sent_json, write_lists
from support.load.worker_results import outcome

PAIR: dict[str, Any] = {"users": 2, "workers": 2}


def part(name: int, size: int, order: Order) -> QuerySource:
    requests = [
        PreparedRequest(f"{name}-{n}".encode(), name, is_readable=True) for n in range(size)
    ]
    return QuerySource(requests, queries_spec(order=order))


def offer(*parts: QuerySource, weights: tuple[int, ...] = (1, 1)) -> PreparedWorkload:
    return PreparedWorkload(("a", "b"), parts, weights[: len(parts)], seed=5)


def test_each_once_ends_with_the_list() -> None:
    drawn = offer(part(0, 5, Order.ONCE)).open_stream(assignment(offset=2))
    assert [each.body for each in drawn.requests] == [b"0-2", b"0-3", b"0-4"]


def test_workers_of_any_speed_never_send_a_query_twice() -> None:
    whole, sent = offer(part(0, 1000, Order.ONCE)), Counter[bytes]()
    mark = ListOffsets((True,))
    for speeds in ((10, 50), (60, 3), (5, 5)):
        results = []
        for worker, count in enumerate(speeds):
            duty = assignment(users=4, workers=2, worker=worker, offsets=mark.offsets)
            drawn = whole.open_stream(duty)
            sent.update(each.body for each in islice(drawn.requests, count))
            results.append(outcome(used_numbers=drawn.used_numbers()))
        mark = mark.advanced_by(results)
    assert sent.total() == 133
    assert max(sent.values()) == 1


def test_exact_steps_leave_no_gap() -> None:
    whole, sent = offer(part(0, 1000, Order.ONCE)), []
    mark = ListOffsets((True,))
    for requests in (7, 20, 1):
        results = []
        for worker in range(3):
            duty = assignment(
                users=5, workers=3, worker=worker, requests=requests, offsets=mark.offsets
            )
            drawn = whole.open_stream(duty)
            sent += [each.body for each in islice(drawn.requests, duty.worker_requests)]
            results.append(outcome(used_numbers=drawn.used_numbers()))
        mark = mark.advanced_by(results)
    assert sorted(sent) == sorted(f"0-{n}".encode() for n in range(28))


def test_the_end_of_one_entry_is_the_end_of_the_mix() -> None:
    drawn = offer(part(0, 20, Order.ONCE), part(1, 3, Order.RANDOM)).open_stream(assignment())
    found = Counter(each.name for each in drawn.requests)
    assert found[0] == 20
    assert found[1] > 0


def test_choices_follow_weights_and_seed() -> None:
    def drawn(seed: int, **fields: object) -> list[int]:
        return list(islice(entry_choices([7, 2, 1], seed, assignment(**PAIR | fields)), 10_000))

    counts = Counter(drawn(1))
    for index, share in enumerate((0.7, 0.2, 0.1)):
        # Five standard deviations of a binomial distribution.
        assert abs(counts[index] - 10_000 * share) < 5 * (10_000 * share * (1 - share)) ** 0.5
    assert drawn(1) == drawn(1)
    assert len({tuple(drawn(seed)) for seed in (1, 2)}) == 2
    others: list[dict[str, object]] = [{}, {"worker": 1}, {"repeat": 2}, {"step": "storm"}]
    assert len({tuple(drawn(1, **other)) for other in others}) == 4


def test_lists_of_one_seed_in_one_mix_are_drawn_apart() -> None:
    whole = offer(part(0, 1000, Order.RANDOM), part(1, 1000, Order.RANDOM))
    drawn = list(islice(whole.open_stream(assignment()).requests, 200))
    zero, one = ([each.body[2:] for each in drawn if each.name == name] for name in (0, 1))
    assert zero[:20] != one[:20]


FILE = {"configMap": {"name": "q", "key": "lines"}}


def test_names_of_lines_and_entries_count_together(tmp_path: Path) -> None:
    lines = [f'{{"name": "n{number}", "params": {{"q": "x"}}}}\n' for number in range(51)]
    write_lists(tmp_path, "".join(lines[:25]), "".join(lines[25:]))
    mix = [{"name": name, "queries": FILE} for name in "ab"]
    with pytest.raises(LoadError, match="51 names; use at most 50"):
        load_workload(plan_of({"mix": mix}), tmp_path)


LOAN = {"name": "buy", "transaction": {"requests": [{"name": "search", "parameters": {"q": "a"}}]}}


@pytest.mark.parametrize("name", ["buy", "buy.search"])
def test_line_with_the_name_of_a_transaction_is_refused(tmp_path: Path, name: str) -> None:
    write_lists(tmp_path, f'{{"name": "{name}", "params": {{"q": "x"}}}}')
    with failing(LoadError, "MalformedQueries", f'line of plain has the "name" {name}, '):
        load_workload(plan_of({"mix": [{"name": "plain", "queries": FILE}, LOAN]}), tmp_path)


@pytest.mark.parametrize("queries", [{"configMap": FILE["configMap"]}, {"generated": {"count": 9}}])
def test_requests_of_long_lists_are_made_when_they_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, queries: dict[str, object]
) -> None:
    lines = [f'{{"name": "n{n % 2}", "params": {{"q": "word{n}"}}}}' for n in range(9)]
    write_lists(tmp_path, "\n".join(lines))
    dataset = Generator(documents=9, vocabulary_terms=1000)
    entry = {"name": "a", "queries": queries | {"order": "Sequential"}}
    whole = plan_of({"mix": [entry]}, generator=dataset)

    def requests() -> tuple[tuple[str, ...], list[PreparedRequest]]:
        made = load_workload(whole, tmp_path)
        return made.names, list(islice(made.open_stream(assignment()).requests, 20))

    ready = requests()
    monkeypatch.setattr(http_requests, "PREPARED_AHEAD", 3)
    assert requests() == ready
    assert len(set(ready[1])) == 9
    (source,) = load_workload(whole, tmp_path).sources
    assert isinstance(source, QuerySource)
    assert isinstance(source.requests, http_requests.RequestsOnDemand)


def test_every_entry_has_parameters_handler_and_place_of_its_own(tmp_path: Path) -> None:
    write_lists(tmp_path, "word0", "word1")
    own = {"parameters": {"rows": "0"}, "handler": "/x"}
    mix = [{"name": "a", "queries": FILE, "weight": 3}, {"name": "b", "queries": FILE, **own}]
    made = load_workload(plan_of({"mix": mix}), tmp_path)
    assert (made.names, made.weights, made.transactions) == (("a", "b"), [3, 1], frozenset())
    first, second = (part.requests[0] for part in made.sources if isinstance(part, QuerySource))
    assert first.body == b"q=word0&wt=json"
    assert second.body == b"q=word1&wt=json&rows=0"
    assert (first.template_index, second.template_index) == (0, 3)


def test_lines_that_are_made_later_are_checked_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_requests, "PREPARED_AHEAD", 1)
    plan = plan_of({"mix": [{"name": "a", "queries": {**FILE, "order": "Sequential"}}]})
    write_lists(tmp_path, "one\nq=zwölf&omitHeader=true\n")
    made = load_workload(plan, tmp_path)
    assert made.unchecked.partial == {0}
    bodies = [each.body for each in islice(made.open_stream(assignment()).requests, 2)]
    assert bodies == [b"q=one&wt=json", b"q=zw%C3%B6lf&omitHeader=true&wt=json"]
    write_lists(tmp_path, 'one\n{"q": "x"}\n{"params": {}, "method": "PUT"}\n')
    with pytest.raises(LoadError, match="lines line 3"):
        load_workload(plan, tmp_path)


PLAIN = PreparedRequest(b"wt=json", 0, is_readable=True, template_index=2)


def generated(prefixes: int = 0, **fields: Any) -> GeneratedSource:
    generator = Generator(
        documents=300, vocabulary_terms=1000, words_per_document=5, route_prefixes=prefixes
    )
    return GeneratedSource(GeneratedUpdates.model_validate(fields), generator, "key")


def sent(
    source: DocumentSource, requests: int, size: int = 1, entry: int = 0, **fields: Any
) -> list[list[dict[str, Any]]]:
    """Return the documents of each request of one worker."""
    duty = assignment(**PAIR | fields)
    updates = Updates.model_validate({"generated": {}, "documentsPerRequest": size})
    part = UpdateSource(PLAIN, updates, source)
    found = []
    for request in islice(part.open_stream(duty, entry, RequestCounter(duty)), requests):
        assert request[:4] == PLAIN[:4]
        found.append(sent_json(request))
    return found


@pytest.mark.slow
def test_existing_documents_are_replaced_evenly() -> None:
    source = generated()
    documents = [doc for batch in sent(source, 3000, 10) for doc in batch]
    counts = Counter(doc["key"] for doc in documents)
    known = {source._documents.identity(position) for position in range(300)}
    assert counts.keys() == known
    assert max(counts.values()) < 3 * min(counts.values())
    assert documents[0].keys() == next(source._documents.range(range(1))).keys()
    assert len({doc["text_t"] for doc in documents}) > 1000


def test_ids_with_prefixes_are_those_of_the_dataset() -> None:
    source = generated(prefixes=7)
    known = {doc["key"] for doc in source._documents.range(range(300))}
    assert {doc["key"] for (doc,) in sent(source, 500)} <= known


def test_new_documents_never_meet() -> None:
    source, ids = generated(ids="New"), Counter[str]()
    for worker in range(2):
        for key in ("r1-s0-calm", "r2-s0-calm", "r1-s0-calm/again-1", "capacity-t01"):
            for attempt in (1, 2):
                batches = sent(source, 20, 3, worker=worker, key=key, attempt=attempt)
                ids.update(doc["key"] for batch in batches for doc in batch)
    for others in ({"offset": 40}, {"entry": 1}):
        later = sent(source, 20, 3, **others)
        ids.update(doc["key"] for batch in later for doc in batch)
    assert ids.total() == 2 * 4 * 2 * 60 + 2 * 60
    assert max(ids.values()) == 1
    assert not any(key.startswith("doc-") for key in ids)
    routed = sent(generated(prefixes=3, ids="New"), 30)
    assert {doc["key"].split("!")[0] for (doc,) in routed} == {"p0", "p1", "p2"}


@pytest.mark.parametrize("ids", ["Existing", "New"])
def test_same_seed_sends_the_same(ids: str) -> None:
    one, two = (sent(generated(ids=ids, seed=3), 20) for _ in range(2))
    assert one == two
    assert one != sent(generated(ids=ids, seed=4), 20)
    assert one != sent(generated(ids=ids, seed=3), 20, worker=1)


def test_lines_of_a_file_are_shared_and_go_round(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    lines = "".join(f'  {{"id": "{n}", "t": "é"}} \r\n\n' for n in range(5))
    file.write_text(lines, "utf-8-sig")
    source = FileSource(file)
    one, two = (
        [[doc["id"] for doc in batch] for batch in sent(source, 3, 2, worker=worker)]
        for worker in range(2)
    )
    assert one == [["0", "1"], ["4", "0"], ["3", "4"]]
    assert two == [["2", "3"], ["1", "2"], ["0", "1"]]


@pytest.mark.parametrize(
    ("text", "reason", "part"),
    [
        (None, "NoDocuments", "cannot read document file"),
        ("", "NoDocuments", "has no document"),
        ('{"id": "1"}\n[]\n', "MalformedDocuments", "docs line 2: must be one JSON object"),
        ('{"id": "1"}\n\n{"id"\n', "MalformedDocuments", "docs line 3: "),
    ],
)
def test_files_that_cannot_be_sent_are_refused(
    tmp_path: Path, text: str | None, reason: str, part: str
) -> None:
    if text is not None:
        (tmp_path / "docs").write_text(text)
    with failing(LoadError, reason, part):
        FileSource(tmp_path / "docs")
