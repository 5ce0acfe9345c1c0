"""Files of several formats and the queries from a claim; Solr's index on claims of its own."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, claim, small
from support.servers import web_server
from support.solr.solr_state import documents_by_core, shards

NAME = "volumes"
CLAIM = "library"
FILLER = "library-filler"
BOOKS, MAGAZINES = 700, 300


def write_books(file: Path) -> None:
    lines = ["id,title_t,price_d", *(f'b{i},"Book, the {i}th",{i}.5' for i in range(BOOKS))]
    file.write_text("\n".join(lines), "utf-8")


def write_magazines(file: Path) -> None:
    documents = "".join(
        f'<doc><field name="id">m{i}</field><field name="title_t">Magazine {i}</field>'
        f'<field name="tags_ss">old</field><field name="tags_ss">blue</field></doc>'
        for i in range(MAGAZINES)
    )
    file.write_bytes(gzip.compress(f"<add>{documents}</add>".encode()))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("library")
    write_books(folder / "books.csv")
    write_magazines(folder / "magazines.xml.gz")
    (folder / "queries.txt").write_text("book\nq=magazine&fq=tags_ss:blue&df=title_t\n", "utf-8")
    kube.apply(claim(CLAIM, "64Mi"))
    web_server.start(FILLER, CLAIM)
    for file in folder.iterdir():
        web_server.put(FILLER, file)
    web_server.stop(FILLER)
    yield CLAIM
    kube.kubectl("delete", "persistentvolumeclaim", CLAIM)


@pytest.fixture(scope="module")
def status(library: str) -> Iterator[dict[str, Any]]:
    queries = {"persistentVolumeClaim": {"claimName": library, "path": "queries.txt"}}
    dataset = {"claimName": library, "paths": ["*.csv", "magazines.xml.gz"]}
    yield from kube.measured(
        small(
            NAME,
            target__solrCloud=SMALL_SOLR
            | {"nodes": 2, "storage": {"persistent": {"size": "256Mi"}}},
            collection={"shards": 2, "replicas": {"nrt": 0, "tlog": 1, "pull": 1}},
            dataset={"persistentVolumeClaim": dataset, "indexing": {"pods": 2, "batchSize": 50}},
            workload={"queries": queries, "method": "POST", "parameters": {"df": "title_t"}},
            load={"steps": [{"name": "one-user", "users": 1, "requests": 30}]},
            cleanup="Never",
        )
    )


def test_documents_of_all_formats_are_on_both_kinds_of_replica(status: dict[str, Any]) -> None:
    assert status["dataset"]["documents"] == BOOKS + MAGAZINES
    by_core = documents_by_core(NAME)
    assert sum(by_core.values()) == 2 * (BOOKS + MAGAZINES)
    for shard in shards(NAME).values():
        replicas = shard["replicas"].values()
        assert sorted(each["type"] for each in replicas) == ["PULL", "TLOG"]


def test_fields_arrived_as_they_were_written(status: dict[str, Any]) -> None:
    found = kube.solr(f"{NAME}-solr-0", f"/{NAME}/select", q="id:b7 OR id:m7", sort="id asc")
    book, magazine = found["response"]["docs"]
    assert (book["title_t"], book["price_d"]) == ("Book, the 7th", 7.5)
    assert magazine["tags_ss"] == ["old", "blue"]


def test_every_query_found_something(status: dict[str, Any]) -> None:
    assert [(each["requests"], each["failures"]) for each in status["results"]] == [(30, 0)]


def test_index_lies_on_claims_that_go_with_the_benchmark(status: dict[str, Any]) -> None:
    claims = kube.items("persistentvolumeclaims", f"solrbench.io/benchmark={NAME}")
    assert {each["status"]["phase"] for each in claims} == {"Bound"}
    assert len(claims) == 2
    kube.delete(NAME)  # checks that nothing is left, claims included
