"""From the plan to what a step run draws from: every entry of the workload with its files read."""

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.request_mix import GeneratedQueries, Queries, Updates
from solrbench.contract.generated_documents import (
    CATEGORIES,
    CATEGORY_FIELD,
    ROUTE_PARAMETER,
    TEXT_FIELD,
    ZipfRanks,
    route_prefix,
    vocabulary,
)
from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.workload_files import folder_of
from solrbench.load.errors import LoadError
from solrbench.load.schedule.users import seed_of
from solrbench.load.workload.name_table import RequestNameTable
from solrbench.load.workload.query_file import (
    FileQueries,
    LazySequence,
    WorkloadQuery,
    query_file_path,
)
from solrbench.load.workload.request_mix import (
    DocumentSource,
    FileSource,
    GeneratedSource,
    PreparedWorkload,
    QuerySource,
    RequestSource,
    SampledSource,
    UpdateSource,
)
from solrbench.load.workload.requests import RequestBuilder, build_requests, prepare_update
from solrbench.load.workload.transactions import prepare_transaction, transaction_names
from solrbench.reasons.load import LoadReason

_CATEGORY_EXPONENT = 1.0
"""That of the generated documents."""

_NO_ROUTE = -1
_BLOCK = 1 << 16


class GeneratedQueryList(LazySequence[WorkloadQuery]):
    """Drawn queries, each made when it is taken: some 15 bytes are kept of one.

    Words and categories follow the distributions of the documents, so frequent words are queried
    for as often as they occur. Routed queries are spread evenly over the prefixes of the ids.
    """

    def __init__(self, spec: GeneratedQueries, dataset: Generator, seed: int) -> None:
        """Draw `spec.count` queries of 1 to `spec.max_terms` words each."""
        rng, count = np.random.default_rng(seed_of("generated-queries", seed)), spec.count
        self._vocabulary = vocabulary(dataset.vocabulary_terms, dataset.seed)
        self._ends = np.cumsum(rng.integers(1, spec.max_terms + 1, count), dtype=np.uint32)
        zipf = ZipfRanks(dataset.vocabulary_terms, dataset.zipf_exponent)
        words = int(self._ends[-1])
        self._words = _in_blocks(words, np.uint32, lambda n: zipf.draw(rng, n))
        names = ZipfRanks(len(CATEGORIES), _CATEGORY_EXPONENT)
        self._categories = _in_blocks(count, np.uint8, lambda n: names.draw(rng, n))
        self._filtered = _in_blocks(
            count, np.bool_, lambda n: 100 * rng.random(n) < spec.filter_percent
        )
        self._faceted = _in_blocks(
            count, np.bool_, lambda n: 100 * rng.random(n) < spec.facet_percent
        )
        self._routes = _routes(spec, dataset, seed)

    def __len__(self) -> int:
        return len(self._ends)

    def item(self, index: int) -> WorkloadQuery:
        """Return the query of an index."""
        start = int(self._ends[index - 1]) if index else 0
        words = self._vocabulary[self._words[start : self._ends[index]]].astype(str).tolist()
        parameters = [("q", " ".join(words)), ("df", TEXT_FIELD)]
        if self._filtered[index]:
            category = CATEGORIES[int(self._categories[index])]
            parameters.append(("fq", f"{CATEGORY_FIELD}:{category}"))
        if self._faceted[index]:
            parameters += [("facet", "true"), ("facet.field", CATEGORY_FIELD)]
        route = _NO_ROUTE if self._routes is None else int(self._routes[index])
        if route != _NO_ROUTE:
            parameters.append((ROUTE_PARAMETER, route_prefix(route)))
        return WorkloadQuery(None, tuple(parameters))


def _in_blocks(
    count: int, kind: type[np.generic], draw: Callable[[int], NDArray[np.generic]]
) -> NDArray[np.generic]:
    """Return `count` draws in a small type; all at once would take many times the memory."""
    drawn = np.empty(count, dtype=kind)
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        drawn[start:stop] = draw(stop - start)
    return drawn


def _routes(spec: GeneratedQueries, dataset: Generator, seed: int) -> NDArray[np.int32] | None:
    """Return the route of each query, `_NO_ROUTE` for all shards; None if all go to all shards.

    Drawn from a stream of their own, so that the queries are the same with and without routes.
    """
    if not spec.routed_percent or not dataset.route_prefixes:
        return None
    rng = np.random.default_rng(seed_of("generated-routes", seed))
    routed = 100 * rng.random(spec.count) < spec.routed_percent
    numbers = rng.integers(0, dataset.route_prefixes, spec.count)
    return np.where(routed, numbers, _NO_ROUTE).astype(np.int32)


def load_workload(plan: LoadPlan, folder: Path) -> PreparedWorkload:
    """Return all that a workload may send; its files are below `folder`.

    It raises `LoadError` with `NoQueries`, `MalformedQueries`, `NoDocuments`, `MalformedDocuments`
    or `BadPlan`.
    """
    workload = plan.workload
    naming = RequestNameTable(transaction_names(workload))
    parts = [_prepare(plan, index, naming, folder) for index in range(len(workload.entries))]
    names = naming.names
    if len(names) > plan.max_request_names:
        raise LoadError(
            LoadReason.MALFORMED_QUERIES,
            f"the workload has {len(names)} names; use at most {plan.max_request_names}, or fewer"
            " of load.steps, load.repeats and target.variants: all results must fit into the"
            " status and the report",
        )
    wholes = [entry.name for entry in workload.entries if entry.transaction is not None]
    return PreparedWorkload(
        names=names,
        sources=parts,
        weights=[entry.weight for entry in workload.entries],
        seed=workload.seed,
        transactions=frozenset(map(names.index, wholes)),
        unchecked=naming.unchecked,
    )


def _prepare(
    plan: LoadPlan, entry_index: int, names: RequestNameTable, folder: Path
) -> RequestSource:
    workload, folder = plan.workload, _folder(plan, entry_index, folder)
    entry = workload.entries[entry_index]
    if entry.queries is not None:
        maker = RequestBuilder(workload, entry, names)
        lines = _lines(plan, entry.queries, folder)
        # Generated queries are good, and all of one name.
        requests = build_requests(maker, lines, check_all=entry.queries.generated is None)
        recorded = lines.recorded_seconds if isinstance(lines, FileQueries) else ()
        replayed = [each.step.name for each in plan.step_runs if each.step.replay is not None]
        if replayed and not recorded:
            raise LoadError(
                LoadReason.MALFORMED_QUERIES,
                f"step {replayed[0]} replays the query file, which does not hold a time in each"
                " line; `solrbench log` makes such a file of a query log",
            )
        return QuerySource(requests, entry.queries, recorded)
    if entry.updates is not None:
        plain = prepare_update(workload, entry, entry.updates, names)
        return UpdateSource(plain, entry.updates, _documents(plan, entry.updates, folder))
    inputs = None if entry.transaction is None else entry.transaction.inputs
    # `iter`: a file of queries has a length, and thereby a list's size, only after it was read.
    values = None if inputs is None else list(iter(_lines(plan, inputs, folder)))
    return prepare_transaction(workload, entry_index, names, values)


def _folder(plan: LoadPlan, entry_index: int, folder: Path) -> Path:
    return folder if plan.workload.mix is None else folder / folder_of(entry_index)


def _documents(plan: LoadPlan, updates: Updates, folder: Path) -> DocumentSource:
    if updates.generated is None:
        return FileSource(query_file_path(updates, folder))
    if plan.generator is not None:
        return GeneratedSource(updates.generated, plan.generator, plan.id_field)
    if plan.dataset is None:
        raise LoadError(LoadReason.BAD_PLAN, "generated updates need dataset.generator")
    from solrbench.load.workload.dataset_sample import read_sample  # noqa: PLC0415  see there

    return SampledSource(read_sample(plan.dataset), updates.generated.seed, plan.id_field)


def read_query_lists(
    plan: LoadPlan, folder: Path
) -> tuple[list[tuple[int, Sequence[WorkloadQuery]]], int]:
    """Return the list of queries of each entry with its place, and how many entries have none.

    It raises `LoadError` if a list cannot be read.
    """
    lists = []
    for index, entry in enumerate(plan.workload.entries):
        if entry.queries is not None:
            queries = _lines(plan, entry.queries, _folder(plan, index, folder))
            if isinstance(queries, FileQueries):
                deque(queries, maxlen=0)  # it has a length only after it was read
            lists.append((index, queries))
    return lists, len(plan.workload.entries) - len(lists)


def _lines(plan: LoadPlan, queries: Queries, folder: Path) -> Sequence[WorkloadQuery]:
    if queries.generated is None:
        return FileQueries(query_file_path(queries, folder))
    if plan.generator is None:
        text = "workload.queries.generated needs dataset.generator for its vocabulary"
        raise LoadError(LoadReason.BAD_PLAN, text)
    return GeneratedQueryList(queries.generated, plan.generator, queries.seed)
