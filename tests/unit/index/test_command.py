import json
import os
import signal
import threading
import urllib.request
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.harness.processes import wait_until
from bench.servers.running import free_port
from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.status import CleanedStatus
from solrbench.contract.generated_documents import DocumentGenerator
from solrbench.contract.pod_plans import EXIT_PERMANENT, EXIT_TERMINATED, IndexProgress
from solrbench.index import command
from solrbench.index.command import EXIT_RETRYABLE, IndexPodEnvironment, run_index
from solrbench.index.errors import RetryPolicy
from solrbench.index.routing import Batch, batches
from solrbench.net.http import basic_auth
from support.servers.index_servers import RESET, FakeSolr, fake_solr, shard, two_shards

BUSY = (503, {"error": {"msg": "busy"}})
GENERATED = {"generator": {"documents": 200, "vocabularyTerms": 100, "wordsPerDocument": 3}}


class Bench:
    """A pod's folder, and the command run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0

    def run(
        self,
        urls: list[str],
        dataset: dict[str, Any],
        pod: int = 0,
        plan: dict[str, Any] | None = None,
        **indexing: int,
    ) -> int:
        whole = {
            "benchmark": "ns/books",
            "solrUrls": urls,
            "collection": "books",
            "dataset": {**dataset, "indexing": {"batchSize": 10, **indexing}},
            **(plan or {}),
        }
        file = self.folder / "plan.json"
        file.write_text(json.dumps(whole))
        return run_index(file, pod, self.pod())

    def pod(self) -> IndexPodEnvironment:
        return IndexPodEnvironment(
            folder=self.folder,
            termination_log=self.folder / "log",
            host="127.0.0.1",
            port=self.port,
            retry_policy=RetryPolicy(5, 0.002, 0.01, 0.002),
        )

    @property
    def words(self) -> IndexProgress:
        return IndexProgress.model_validate_json((self.folder / "log").read_bytes())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def solr() -> Iterator[FakeSolr]:
    with fake_solr(two_shards()) as found:
        yield found


@cache
def generated_ids() -> list[str]:
    spec = Generator.model_validate(GENERATED["generator"])
    return [each["id"] for each in DocumentGenerator(spec).range(range(spec.documents))]


def test_two_pods_index_each_document_once(bench: Bench, solr: FakeSolr) -> None:
    for pod in range(2):
        assert bench.run([solr.url], GENERATED, pod, pods=2) == 0
        assert bench.words.documents == 100
        assert bench.words.reason is None
    assert solr.ids == generated_ids()


def test_files_are_cleaned_and_reported(bench: Bench, solr: FakeSolr) -> None:
    (bench.folder / "a.jsonl").write_bytes(b'{"id":"1","t":"x\\u0001<b>y"}\n{"id":"2","t":"z"}\n')
    (bench.folder / "b.csv").write_bytes(b"id,t\n3,\xe9\n")
    files = {"configMap": {"name": "data", "keys": ["a.jsonl", "b.csv"]}}
    assert bench.run([solr.url], files) == EXIT_PERMANENT
    assert "b.csv: line 2: not UTF-8" in str(bench.words.message)
    wanted = {"controlCharacters": "Remove", "invalidBytes": "Remove", "markup": "Remove"}
    assert bench.run([solr.url], files | {"cleaning": wanted}) == 0
    assert solr.ids == ["1", "2", "3"]
    assert {doc["t"] for *_, docs in solr.updates for doc in docs} >= {"xy", "z", ""}
    words = bench.words
    assert words.cleaned == CleanedStatus(
        documents=2, control_characters=1, invalid_bytes=1, markup_characters=3
    )
    assert words.files == 2
    shown = {each.name: (each.documents, each.bytes) for each in words.slowest_files}
    assert shown == {"a.jsonl": (2, 48), "b.csv": (1, 9)}


def test_every_document_goes_to_the_leader_of_its_shard(bench: Bench, solr: FakeSolr) -> None:
    assert bench.run([solr.url], GENERATED) == 0
    homes = {
        core: {each["id"] for c, _, docs in solr.updates if c == core for each in docs}
        for core in ("books_shard1", "books_shard2")
    }
    assert {core for core, _, _ in solr.updates} == set(homes)
    assert homes["books_shard1"].isdisjoint(homes["books_shard2"])
    assert all(params == {"wt": "json"} for _, params, _ in solr.updates)
    assert bench.words.bytes == sum(
        len(json.dumps(docs, separators=(",", ":"), ensure_ascii=False).encode())
        for _, _, docs in solr.updates
    )


def test_prepared_batches_are_all_made_before_the_first_is_sent(
    bench: Bench, solr: FakeSolr, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent_while_making = []

    def watched(*given: Any) -> Iterator[Batch]:
        for batch in batches(*given):
            sent_while_making.append(len(solr.updates))
            yield batch

    monkeypatch.setattr(command, "batches", watched)
    assert bench.run([solr.url], GENERATED, prepared=True) == 0
    assert solr.ids == generated_ids()
    assert set(sent_while_making) == {0}
    monkeypatch.setattr(command, "MAX_PREPARED_BYTES", 1000)
    sent = len(solr.updates)
    assert bench.run([solr.url], GENERATED, prepared=True) == EXIT_PERMANENT
    assert len(solr.updates) == sent  # where they cannot all be made, none is sent
    assert "raise spec.dataset.indexing.pods" in str(bench.words.message)


def test_implicit_shards_are_named(bench: Bench) -> None:
    shards = {name: shard(None, f"books_{name}") for name in ("shard1", "shard2")}
    with fake_solr({"router": {"name": "implicit"}, "shards": shards}) as solr:
        assert bench.run([solr.url], GENERATED) == 0
    sent = {(core, params["_route_"]) for core, params, _ in solr.updates}
    assert sent == {("books_shard1", "shard1"), ("books_shard2", "shard2")}
    assert solr.ids == generated_ids()


@pytest.mark.parametrize("fault", [BUSY, RESET, (429, {}), (404, {})])
def test_batch_is_sent_again_after_a_temporary_failure(
    bench: Bench, solr: FakeSolr, fault: Any
) -> None:
    solr.faults = [fault, fault]
    assert bench.run([solr.url], GENERATED, concurrency=1) == 0
    assert solr.ids == generated_ids()
    assert bench.words.retried_batches == 1
    assert bench.words.documents == 200
    assert solr.updates[0] == solr.updates[1] == solr.updates[2]


def test_follows_a_leader_that_moves(bench: Bench, solr: FakeSolr) -> None:
    moved = two_shards()
    moved["shards"]["shard1"] = shard("80000000-ffffffff", "books_new")

    first = solr.update

    def update(core: str, params: dict[str, str], body: bytes) -> Any:
        if core == "books_shard1":
            solr.collection = moved
            return BUSY
        return first(core, params, body)

    solr.update = update  # type: ignore[method-assign]
    assert bench.run([solr.url], GENERATED) == 0
    assert {core for core, _, _ in solr.updates} == {"books_new", "books_shard2"}
    assert solr.ids == generated_ids()


def test_waits_for_solr_at_the_start(bench: Bench, solr: FakeSolr) -> None:
    solr.status_faults = [503, 500, 404]
    assert bench.run(["http://127.0.0.1:9", solr.url], GENERATED, batchRetries=0) == 0
    assert solr.ids == generated_ids()


def test_a_pod_run_again_sends_the_same_documents(bench: Bench, solr: FakeSolr) -> None:
    solr.faults = [(200, {"responseHeader": {"status": 0}})] * 4 + [(500, {})] * 99
    assert bench.run([solr.url], GENERATED, batchRetries=1) == EXIT_RETRYABLE
    assert bench.words.reason == "SolrUnavailable"
    solr.faults = []
    assert bench.run([solr.url], GENERATED) == 0
    by_id = {each["id"]: each for each in solr.accepted}
    assert sorted(by_id) == generated_ids()
    assert len(solr.accepted) > len(by_id)
    assert all(by_id[each["id"]] == each for each in solr.accepted)


def test_refused_document_ends_the_run_at_once(bench: Bench, solr: FakeSolr) -> None:
    solr.faults = [(400, {"error": {"msg": "ERROR: [doc=doc-3] unknown field 'x'"}})]
    assert bench.run([solr.url], GENERATED, concurrency=1) == EXIT_PERMANENT
    assert len(solr.updates) == 1
    assert bench.words.reason == "DocumentRefused"
    assert "[doc=doc-3] unknown field 'x'" in str(bench.words.message)
    assert bench.words.finished is not None


@pytest.mark.parametrize(
    ("key", "reason"),
    [("none.json", "DatasetNotFound"), ("a.txt", "UnknownFormat"), ("empty.csv", "EmptyDataset")],
)
def test_missing_dataset_is_reported(bench: Bench, solr: FakeSolr, key: str, reason: str) -> None:
    (bench.folder / "a.txt").touch()
    (bench.folder / "empty.csv").touch()
    code = bench.run([solr.url], {"configMap": {"name": "m", "keys": [key]}})
    assert code == EXIT_PERMANENT
    assert bench.words.reason == reason
    assert key in str(bench.words.message)


def test_missing_plan_is_reported(bench: Bench) -> None:
    assert run_index(bench.folder / "none.json", 0, bench.pod()) == EXIT_PERMANENT
    assert bench.words.reason == "InvalidPlan"


def test_unreachable_solr_is_reported(bench: Bench) -> None:
    assert bench.run(["http://127.0.0.1:9"], GENERATED, batchRetries=0) == EXIT_RETRYABLE
    assert bench.words.reason == "SolrUnavailable"
    assert "http://127.0.0.1:9" in str(bench.words.message)


def test_unexpected_failure_writes_the_termination_message(bench: Bench, solr: FakeSolr) -> None:
    bench.port = -1
    assert bench.run([solr.url], GENERATED) == EXIT_RETRYABLE
    assert bench.words.reason == "IndexInternalError"


def test_progress_is_reported_and_sigterm_stops(bench: Bench, solr: FakeSolr) -> None:
    bench.port = port = free_port()
    seen: list[bytes] = []
    before = set(threading.enumerate())
    first = solr.update

    def update(core: str, params: dict[str, str], body: bytes) -> Any:
        if len(solr.updates) == 10:
            for page in ("progress", "metrics"):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}") as answer:
                    seen.append(answer.read())
            os.kill(os.getpid(), signal.SIGTERM)
        return first(core, params, body)

    endless = {"generator": {**GENERATED["generator"], "documents": 10_000_000}}
    solr.update = update  # type: ignore[method-assign]
    assert bench.run([solr.url], endless, concurrency=1) == EXIT_TERMINATED
    assert bench.words.reason == "Interrupted"
    progress = IndexProgress.model_validate_json(seen[0])
    assert progress.documents == 100
    assert b'solrbench_index_documents_total{benchmark="ns/books",pod="0"} 100\n' in seen[1]
    # Those that wait for a last answer end a moment later.
    wait_until(lambda: len(set(threading.enumerate()) - before) < 5, 20, "threads to end")


def login(bench: Bench, password: str) -> dict[str, Any]:
    """Mount a login, as a Secret would be; return the part of the plan that names it."""
    (bench.folder / "username").write_text("solr")
    (bench.folder / "password").write_text(password)
    return {"access": {"credentialsFolder": str(bench.folder)}}


def test_login_goes_with_every_request(bench: Bench, solr: FakeSolr) -> None:
    solr.authorization = basic_auth("solr", "SolrRocks")
    assert bench.run([solr.url], GENERATED, plan=login(bench, "SolrRocks")) == 0
    assert solr.ids == generated_ids()
    assert solr.refused == 0


def test_wrong_login_ends_the_run_at_once(
    bench: Bench, solr: FakeSolr, caplog: pytest.LogCaptureFixture
) -> None:
    solr.authorization = basic_auth("solr", "SolrRocks")
    assert bench.run([solr.url], GENERATED, plan=login(bench, "a-guess")) == EXIT_PERMANENT
    assert bench.words.reason == "AuthenticationFailed"
    assert solr.refused == 1
    assert "a-guess" not in (bench.words.message or "") + caplog.text


def test_missing_login_is_reported(bench: Bench) -> None:
    plan = {"access": {"credentialsFolder": str(bench.folder / "nowhere")}}
    assert bench.run(["http://127.0.0.1:1/solr"], GENERATED, plan=plan) == EXIT_PERMANENT
    assert "mounted from a Secret of target.existing" in (bench.words.message or "")


def test_malformed_certificate_is_reported(bench: Bench) -> None:
    (bench.folder / "ca.crt").write_text("nonsense")
    plan = {"access": {"caFile": str(bench.folder / "ca.crt")}}
    assert bench.run(["https://127.0.0.1:1/solr"], GENERATED, plan=plan) == EXIT_PERMANENT
    assert bench.words.reason == "CertificateNotTrusted"


def test_redirect_is_not_followed(bench: Bench, solr: FakeSolr) -> None:
    solr.status_faults = [302]
    assert bench.run([solr.url], GENERATED) == EXIT_PERMANENT
    assert bench.words.reason == "RedirectRefused"
    assert solr.updates == []


@pytest.mark.parametrize(
    ("direct", "cores"),
    [
        (None, {"books_shard1", "books_shard2"}),
        ({}, {"books"}),
        ({"http://elsewhere:8983/solr": "http://elsewhere.ns.svc:8983/solr"}, {"books"}),
        ({"{url}": "{url}"}, {"books_shard1", "books_shard2"}),
    ],
)
def test_leaders_are_reached_directly_only_where_that_is_allowed(
    bench: Bench, solr: FakeSolr, direct: dict[str, str] | None, cores: set[str]
) -> None:
    own = direct and {k.format(url=solr.url): v.format(url=solr.url) for k, v in direct.items()}
    assert bench.run([solr.url], GENERATED, plan={"leaderUrls": own}) == 0
    assert {core for core, _, _ in solr.updates} == cores
    assert solr.ids == generated_ids()
