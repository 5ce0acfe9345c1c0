"""From the plan to what the core needs."""

from collections.abc import Iterable
from pathlib import Path

from solrbench.access import Access, read_access
from solrbench.errors import Never
from solrbench.load.failures import LoadFailure
from solrbench.load.mixing import prepare_offer
from solrbench.load.requests import Node, prepare_node
from solrbench.load.running import Target
from solrbench.plan.load_plan import LoadPlan


def prepare_target(plan: LoadPlan, queries_folder: Path) -> Target:
    """Return requests and nodes of a plan.

    Raises:
        LoadFailure: `NoQueries`, `MalformedQueries`, `NoDocuments`, `MalformedDocuments`,
            `BadPlan` or `CertificateNotTrusted`.

    """
    workload, access = plan.workload, load_access(plan)
    return Target(
        requests=prepare_offer(plan, queries_folder),
        seed=workload.seed,
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
