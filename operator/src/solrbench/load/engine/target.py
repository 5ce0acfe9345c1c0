"""From the plan to what the engine needs."""

from collections.abc import Iterable
from pathlib import Path

from solrbench.http_auth import HttpAuth
from solrbench.load.auth import load_auth
from solrbench.load.engine.step_run import LoadTarget
from solrbench.load.workload.http_requests import Node, prepare_node
from solrbench.load.workload.loader import load_workload
from solrbench.plan.load_plan import LoadPlan


def load_target(plan: LoadPlan, queries_folder: Path) -> LoadTarget:
    """Return requests and nodes of a plan.

    Raises:
        LoadError: `NoQueries`, `MalformedQueries`, `NoDocuments`, `MalformedDocuments`,
            `BadPlan` or `CertificateNotTrusted`.

    """
    workload, access = plan.workload, load_auth(plan)
    return LoadTarget(
        requests=load_workload(plan, queries_folder),
        seed=workload.draw_seed,
        nodes=_nodes(plan, plan.solr_urls, access),
        timeout_seconds=workload.timeout_seconds,
        variants={each.variant: _nodes(plan, each.urls, access) for each in plan.variants},
    )


def _nodes(plan: LoadPlan, urls: Iterable[str], access: HttpAuth) -> list[Node]:
    return [prepare_node(plan.workload, plan.collection, url, access) for url in urls]
