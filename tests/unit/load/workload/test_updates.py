import json
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.workload.mix import GeneratedUpdates, Updates
from solrbench.load.errors import LoadError
from solrbench.load.workload.ordering import RequestCounter
from solrbench.load.workload.prepared_request import PreparedRequest
from solrbench.load.workload.updates import (
    DocumentSource,
    FileSource,
    GeneratedSource,
    UpdateSource,
)
from unit.load.builders import assignment

PLAIN = PreparedRequest(b"wt=json", 0, is_json=True, template_index=2)


def generated(prefixes: int = 0, **fields: Any) -> GeneratedSource:
    generator = Generator(
        documents=300, vocabulary_terms=1000, words_per_document=5, route_prefixes=prefixes
    )
    return GeneratedSource(GeneratedUpdates.model_validate(fields), generator, "key")


def sent(
    source: DocumentSource, requests: int, size: int = 1, offset: int = 0, **fields: int
) -> list[list[dict[str, Any]]]:
    """Return the documents of each request of one worker."""
    duty = assignment(users=2, workers=2, offset=offset).model_copy(update=fields)
    updates = Updates.model_validate({"generated": {}, "documentsPerRequest": size})
    part = UpdateSource(PLAIN, updates, source)
    found = []
    for request in islice(part.open_stream(duty, 0, RequestCounter(duty)), requests):
        assert request[:4] == PLAIN[:4]
        assert request.extra is not None
        head, body = request.extra.content.split(b"\r\n\r\n")
        assert head == b"Content-Length: %d" % len(body)
        found.append(json.loads(body))
    return found


@pytest.mark.slow
def test_existing_documents_are_replaced_evenly() -> None:
    source = generated()
    documents = [doc for batch in sent(source, 3000, 10) for doc in batch]
    counts = Counter(doc["key"] for doc in documents)
    known = {source.documents_generator.identity(position) for position in range(300)}
    assert counts.keys() == known
    assert max(counts.values()) < 3 * min(counts.values())
    assert documents[0].keys() == next(source.documents_generator.range(range(1))).keys()
    assert len({doc["text_t"] for doc in documents}) > 1000


def test_ids_with_prefixes_are_those_of_the_dataset() -> None:
    source = generated(prefixes=7)
    known = {doc["key"] for doc in source.documents_generator.range(range(300))}
    assert {doc["key"] for (doc,) in sent(source, 500)} <= known


def test_new_documents_never_meet() -> None:
    source, ids = generated(ids="New"), Counter[str]()
    for worker in range(2):
        for repeat in (1, 2):
            for attempt in (1, 2):
                fields = {"worker": worker, "repeat": repeat, "attempt": attempt}
                ids.update(doc["key"] for batch in sent(source, 20, 3, **fields) for doc in batch)
    for others in ({"offset": 40}, {"restarts": 1}, {"restarts": 2}):
        later = sent(source, 20, 3, **others)
        ids.update(doc["key"] for batch in later for doc in batch)
    assert ids.total() == 2 * 2 * 2 * 60 + 3 * 60
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
    file.write_text("".join(f'  {{"id": "{n}", "t": "é"}} \r\n\n' for n in range(5)))
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
        ("", "NoDocuments", "has no document"),
        ('{"id": "1"}\n[]\n', "MalformedDocuments", "docs line 2: must be one JSON object"),
        ('{"id": "1"}\n\n{"id"\n', "MalformedDocuments", "docs line 3: "),
    ],
)
def test_files_that_cannot_be_sent_are_refused(
    tmp_path: Path, text: str, reason: str, part: str
) -> None:
    (tmp_path / "docs").write_text(text)
    with pytest.raises(LoadError) as caught:
        FileSource(tmp_path / "docs")
    assert caught.value.reason == reason
    assert part in caught.value.message


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="NoDocuments: cannot read document file"):
        FileSource(tmp_path / "none")
