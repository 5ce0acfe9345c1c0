"""From the plan to what a pass draws from: every entry of the workload with its files read."""

from collections.abc import Iterable
from pathlib import Path

from solrbench.api.v1alpha1.workload.mix import MixEntry, Updates
from solrbench.api.v1alpha1.workload.queries import Queries
from solrbench.api.v1alpha1.workload.workload import MOST_NAMES, Workload
from solrbench.load.errors import LoadError
from solrbench.load.workload.generated_queries import generate_queries
from solrbench.load.workload.http_requests import UPDATE_HANDLER, RequestMaker, first_shape
from solrbench.load.workload.name_table import Naming, view_of
from solrbench.load.workload.prepared_request import Kind, PreparedRequest
from solrbench.load.workload.query_file import Query, query_file, stream_queries
from solrbench.load.workload.request_mix import Offer, Part, QueryPart
from solrbench.load.workload.transactions import prepare_transaction
from solrbench.load.workload.updates import DocumentSource, FileSource, GeneratedSource, UpdatePart
from solrbench.load.workload.url_encoding import encode
from solrbench.plan.load_plan import LoadPlan
from solrbench.plan.workload_files import folder_of


def prepare_offer(plan: LoadPlan, folder: Path) -> Offer:
    """Return all that a workload may send; its files are below `folder`.

    Raises:
        LoadError: `NoQueries`, `MalformedQueries`, `NoDocuments`, `MalformedDocuments` or
            `BadPlan`.

    """
    workload, naming = plan.workload, Naming()
    parts = [
        _prepare(
            plan,
            place,
            entry,
            naming,
            folder if workload.mix is None else folder / folder_of(place),
        )
        for place, entry in enumerate(workload.entries)
    ]
    names = naming.names
    if len(names) > MOST_NAMES:
        raise LoadError(
            "MalformedQueries", f"the workload has {len(names)} names; use at most {MOST_NAMES}"
        )
    wholes = [entry.name for entry in workload.entries if entry.transaction is not None]
    return Offer(
        names=names,
        parts=parts,
        weights=[entry.weight for entry in workload.entries],
        seed=workload.mix_seed,
        transactions=frozenset(map(names.index, wholes)),
        unseen=naming.unseen,
    )


def _prepare(plan: LoadPlan, place: int, entry: MixEntry, naming: Naming, folder: Path) -> Part:
    workload = plan.workload
    if entry.queries is not None:
        maker = RequestMaker(workload, entry, naming)
        lines = _lines(plan, entry.queries, folder)
        return QueryPart([maker.make(query) for query in lines], entry.queries)
    if entry.updates is not None:
        plain = _update_request(workload, entry, entry.updates, naming)
        return UpdatePart(plain, entry.updates, _documents(plan, entry.updates, folder))
    inputs = None if entry.transaction is None else entry.transaction.inputs
    values = None if inputs is None else list(_lines(plan, inputs, folder))
    return prepare_transaction(workload, place, naming, values)


def _update_request(
    workload: Workload, entry: MixEntry, updates: Updates, naming: Naming
) -> PreparedRequest:
    parameters = {"wt": "json", **entry.parameters}
    if updates.commit_within_milliseconds is not None:
        parameters["commitWithin"] = str(updates.commit_within_milliseconds)
    view = view_of(parameters.items())
    return PreparedRequest(
        body=encode(parameters.items()).encode("ascii"),
        name=naming.place(entry.name, view),
        json=view.content,
        shape=first_shape(workload, entry.handler or UPDATE_HANDLER) + Kind.JSON,
    )


def _documents(plan: LoadPlan, updates: Updates, folder: Path) -> DocumentSource:
    if updates.generated is None:
        return FileSource(query_file(updates, folder))
    if plan.generator is None:
        raise LoadError("BadPlan", "generated updates need dataset.generator")
    return GeneratedSource(updates.generated, plan.generator, plan.id_field)


def _lines(plan: LoadPlan, queries: Queries, folder: Path) -> Iterable[Query]:
    if queries.generated is None:
        return stream_queries(query_file(queries, folder))
    if plan.generator is None:
        raise LoadError(
            "BadPlan", "workload.queries.generated needs dataset.generator for its vocabulary"
        )
    return generate_queries(queries.generated, plan.generator, queries.seed)
