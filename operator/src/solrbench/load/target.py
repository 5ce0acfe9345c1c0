"""From the plan to what the core needs."""

from collections.abc import Iterable
from pathlib import Path

from solrbench.load.failures import LoadFailure
from solrbench.load.generated import generate_queries
from solrbench.load.queries import Query, query_file, read_queries
from solrbench.load.requests import Node, prepare_node, prepare_requests
from solrbench.load.running import Target
from solrbench.plan.load_plan import LoadPlan


def prepare_target(plan: LoadPlan, queries_folder: Path) -> Target:
    """Return requests and nodes of a plan.

    Raises:
        LoadFailure: `NoQueries`, `MalformedQueries` or `BadPlan`.

    """
    workload = plan.workload
    return Target(
        requests=prepare_requests(workload, _queries(plan, queries_folder)),
        queries=workload.queries,
        nodes=_nodes(plan, plan.solr_urls),
        timeout_seconds=workload.timeout_seconds,
        variants={each.variant: _nodes(plan, each.urls) for each in plan.variants},
    )


def _nodes(plan: LoadPlan, urls: Iterable[str]) -> list[Node]:
    return [prepare_node(plan.workload, plan.collection, url) for url in urls]


def _queries(plan: LoadPlan, folder: Path) -> list[Query]:
    queries = plan.workload.queries
    if queries.generated is None:
        return read_queries(query_file(queries, folder))
    if plan.generator is None:
        raise LoadFailure(
            "BadPlan", "workload.queries.generated needs dataset.generator for its vocabulary"
        )
    return generate_queries(queries.generated, plan.generator, queries.seed)
