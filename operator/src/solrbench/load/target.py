"""From the plan to what the core needs."""

from collections.abc import Iterable
from pathlib import Path

from solrbench.access import Access, read_access
from solrbench.api.v1alpha1.workload import Queries
from solrbench.errors import Never
from solrbench.load.failures import LoadFailure
from solrbench.load.generated import generate_queries
from solrbench.load.queries import Query, query_file, read_queries
from solrbench.load.requests import Node, prepare_node, prepare_requests
from solrbench.load.running import Target
from solrbench.plan.load_plan import LoadPlan


def prepare_target(plan: LoadPlan, queries_folder: Path) -> Target:
    """Return requests and nodes of a plan.

    Raises:
        LoadFailure: `NoQueries`, `MalformedQueries`, `BadPlan` or `CertificateNotTrusted`.

    """
    workload, access = plan.workload, load_access(plan)
    queries = workload.queries
    if queries is None:
        raise LoadFailure("BadPlan", "workload.queries is missing")
    return Target(
        requests=prepare_requests(workload, _queries(plan, queries, queries_folder)),
        queries=queries,
        nodes=_nodes(plan, plan.solr_urls, access),
        timeout_seconds=workload.timeout_seconds,
        variants={each.variant: _nodes(plan, each.urls, access) for each in plan.variants},
    )


def load_access(plan: LoadPlan) -> Access:
    """Return what the target asks of its callers, checked.

    Raises:
        LoadFailure: `BadPlan` if a file is missing, `CertificateNotTrusted` if it is none.

    """
    try:
        access = read_access(plan.access)
        if access.ca is not None:
            _ = access.ssl_context
    except OSError as error:
        message = f"{error}; it is mounted from a Secret of target.existing"
        raise LoadFailure("BadPlan", message) from error
    except Never as error:
        raise LoadFailure(error.reason, error.message) from error
    return access


def _nodes(plan: LoadPlan, urls: Iterable[str], access: Access) -> list[Node]:
    return [prepare_node(plan.workload, plan.collection, url, access) for url in urls]


def _queries(plan: LoadPlan, queries: Queries, folder: Path) -> list[Query]:
    if queries.generated is None:
        return read_queries(query_file(queries, folder))
    if plan.generator is None:
        raise LoadFailure(
            "BadPlan", "workload.queries.generated needs dataset.generator for its vocabulary"
        )
    return generate_queries(queries.generated, plan.generator, queries.seed)
