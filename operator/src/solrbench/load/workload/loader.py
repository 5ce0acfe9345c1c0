"""From the plan to what a step run draws from: every entry of the workload with its files read."""

from collections.abc import Sequence
from pathlib import Path

from solrbench.api.v1alpha1.workload.mix import MixEntry, Updates
from solrbench.api.v1alpha1.workload.queries import Queries
from solrbench.api.v1alpha1.workload.workload import Workload
from solrbench.load.errors import LoadError
from solrbench.load.workload.generated_queries import generate_queries
from solrbench.load.workload.http_requests import (
    UPDATE_HANDLER,
    RequestBuilder,
    build_requests,
    first_template_index,
)
from solrbench.load.workload.name_table import RequestNameTable, visibility_of
from solrbench.load.workload.prepared_request import BodyKind, PreparedRequest
from solrbench.load.workload.query_file import FileQueries, Query, query_file_path
from solrbench.load.workload.request_mix import PreparedWorkload, QuerySource, RequestSource
from solrbench.load.workload.transactions import prepare_transaction, transaction_names
from solrbench.load.workload.updates import (
    DocumentSource,
    FileSource,
    GeneratedSource,
    UpdateSource,
)
from solrbench.load.workload.url_encoding import encode_parameters
from solrbench.plan.load_plan import LoadPlan
from solrbench.plan.workload_files import folder_of
from solrbench.reasons.load import LoadReason


def load_workload(plan: LoadPlan, folder: Path) -> PreparedWorkload:
    """Return all that a workload may send; its files are below `folder`.

    Raises:
        LoadError: `NoQueries`, `MalformedQueries`, `NoDocuments`, `MalformedDocuments` or
            `BadPlan`.

    """
    workload = plan.workload
    naming = RequestNameTable(transaction_names(workload))
    parts = [
        _prepare(
            plan,
            index,
            entry,
            naming,
            folder if workload.mix is None else folder / folder_of(index),
        )
        for index, entry in enumerate(workload.entries)
    ]
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
    plan: LoadPlan, entry_index: int, entry: MixEntry, names: RequestNameTable, folder: Path
) -> RequestSource:
    workload = plan.workload
    if entry.queries is not None:
        maker = RequestBuilder(workload, entry, names)
        lines = _lines(plan, entry.queries, folder)
        # Generated queries are good, and all of one name.
        check_all = entry.queries.generated is None
        requests = build_requests(maker, lines, check_all=check_all)
        recorded = lines.recorded_seconds if isinstance(lines, FileQueries) else ()
        _check_replay(plan, recorded)
        return QuerySource(requests, entry.queries, recorded)
    if entry.updates is not None:
        plain = _update_request(workload, entry, entry.updates, names)
        return UpdateSource(plain, entry.updates, _documents(plan, entry.updates, folder))
    inputs = None if entry.transaction is None else entry.transaction.inputs
    values = None if inputs is None else list(iter(_lines(plan, inputs, folder)))
    return prepare_transaction(workload, entry_index, names, values)


def _check_replay(plan: LoadPlan, recorded: Sequence[float]) -> None:
    replayed = [each.step.name for each in plan.step_runs if each.step.replay is not None]
    if replayed and not recorded:
        raise LoadError(
            LoadReason.MALFORMED_QUERIES,
            f"step {replayed[0]} replays the query file, which does not hold a time in each line;"
            " `solrbench log` makes such a file of a query log",
        )


def _update_request(
    workload: Workload, entry: MixEntry, updates: Updates, names: RequestNameTable
) -> PreparedRequest:
    parameters = {"wt": "json", **entry.parameters}
    if updates.commit_within_milliseconds is not None:
        parameters["commitWithin"] = str(updates.commit_within_milliseconds)
    view = visibility_of(parameters.items())
    return PreparedRequest(
        body=encode_parameters(parameters.items()).encode("ascii"),
        name=names.index_of(entry.name, view),
        is_json=view.content,
        template_index=first_template_index(workload, entry.handler or UPDATE_HANDLER)
        + BodyKind.JSON,
    )


def _documents(plan: LoadPlan, updates: Updates, folder: Path) -> DocumentSource:
    if updates.generated is None:
        return FileSource(query_file_path(updates, folder))
    if plan.generator is None:
        raise LoadError(LoadReason.BAD_PLAN, "generated updates need dataset.generator")
    return GeneratedSource(updates.generated, plan.generator, plan.id_field)


def _lines(plan: LoadPlan, queries: Queries, folder: Path) -> Sequence[Query]:
    if queries.generated is None:
        return FileQueries(query_file_path(queries, folder))
    if plan.generator is None:
        raise LoadError(
            LoadReason.BAD_PLAN,
            "workload.queries.generated needs dataset.generator for its vocabulary",
        )
    return generate_queries(queries.generated, plan.generator, queries.seed)
