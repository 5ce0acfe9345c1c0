"""What the pass of answers takes on a real Solr, and whether the load after it is as without it.

Sides take turns, A B B A, on one collection. Each is a run of its own, with a warm-up. The interval
is that of the mean of the pairs' log ratios (Student).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.harness.pairs import log_ratios, ratio_interval
from bench.harness.product import product
from bench.harness.table import Row, at_most
from bench.servers.real_solr import RealSolr, real_solr
from solrbench.api.v1alpha1.dataset import Generator
from solrbench.contract.answers import MAX_ANSWER_BYTES, StoredAnswers
from solrbench.contract.generated_documents import DocumentGenerator
from solrbench.stats import histograms

_DOCUMENTS = Generator(documents=20_000, seed=1)
_QUERIES, _FIRST = 5_000, 10
_GENERATED = 6_000
"""Some are equal."""
_MAX_SECONDS = 60
_BATCH = 1000
_USERS = 2


def answer_pass(folder: Path, pairs: int, seconds: int) -> list[Row]:
    """Measure so many pairs of runs of `seconds` each."""
    passes: list[StoredAnswers] = []
    with real_solr(folder) as solr:
        _fill(solr)
        _run(solr, folder, seconds, passes)  # Solr's own start
        passes.clear()
        means, tails = log_ratios(
            lambda asks: _run(solr, folder, seconds, passes if asks else None), pairs
        )
    took = [each.seconds or 0.0 for each in passes]
    size = max(len(each.model_dump_json(by_alias=True)) for each in passes)
    asked = f"{_QUERIES:,} queries, each sent twice"
    return [
        at_most("pass of answers", max(took), _MAX_SECONDS, "{:.1f} s", asked),
        at_most("its part of the report", size / 1024, MAX_ANSWER_BYTES / 1024, "{:.0f} KiB", ""),
        _same("mean", means),
        _same("p95", tails),
    ]


def _fill(solr: RealSolr) -> None:
    solr.create("books", 1)
    documents = DocumentGenerator(_DOCUMENTS)
    for first in range(0, _DOCUMENTS.documents, _BATCH):
        solr.post("/books/update", list(documents.range(range(first, first + _BATCH))))
    if solr.count("books") != _DOCUMENTS.documents:
        raise RuntimeError("Solr has not all documents")


def _run(
    solr: RealSolr, folder: Path, seconds: int, passes: list[StoredAnswers] | None
) -> tuple[float, float]:
    """Return mean and p95 of the service times; the answers of the pass go to `passes`."""
    step = {"name": "pair", "users": _USERS, "durationSeconds": seconds}
    asked = {
        "queries": _QUERIES,
        "first": _FIRST,
        "variants": [""],
        "maxBytes": MAX_ANSWER_BYTES,
        "emptiesCaches": True,
    }
    fields: dict[str, Any] = {
        "workload": {"queries": {"generated": {"count": _GENERATED}, "order": "Random", "seed": 1}},
        "generator": _DOCUMENTS.model_dump(by_alias=True, exclude_none=True),
        "warmUp": {"durationSeconds": 3},
        "answers": None if passes is None else asked,
    }
    with product(solr, folder, step, **fields) as running:
        (document,) = running.documents(seconds + _MAX_SECONDS + 30)
    if passes is not None:
        if document.answers is None or document.answers.queries < _QUERIES:
            raise RuntimeError("the pass of answers has not asked all queries")
        passes.append(document.answers)
    (result,) = document.requests
    tail = histograms.decode(result.service_time_histogram).percentile(95)
    return seconds * _USERS / result.requests, float(tail or 1)


def _same(what: str, ratios: Sequence[float]) -> Row:
    low, middle, high = ratio_interval(ratios)
    return Row(
        f"load after the pass: {what}, beside without it",
        "within noise",
        f"{middle:+.2f} %",
        low <= 0 <= high,
        f"95 %: {low:+.2f} to {high:+.2f} %, {len(ratios)} pairs",
    )
