"""From the plan to what the engine needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from solrbench.http_auth import HttpAuth
from solrbench.load.auth import load_auth
from solrbench.load.workload.http_requests import Node, prepare_node
from solrbench.load.workload.loader import load_workload
from solrbench.load.workload.request_mix import PreparedWorkload
from solrbench.plan.load_plan import LoadPlan


@dataclass(frozen=True)
class LoadTarget:
    """What is sent, and where to.

    Attributes:
        requests: the names, and what is drawn from
        seed: of whatever is drawn for users
        nodes: users are spread over them evenly
        timeout_seconds: a response that takes longer is a failure
        variants: nodes of the variants by name; step runs with a variant go there instead

    """

    requests: PreparedWorkload
    seed: int
    nodes: Sequence[Node]
    timeout_seconds: float
    variants: Mapping[str, Sequence[Node]] = field(default_factory=dict)

    def nodes_of(self, variant: str) -> Sequence[Node]:
        """Return where the users of a step run go; `variant` is empty without variants."""
        return self.variants[variant] if variant else self.nodes


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
