"""From the plan to what the engine needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from solrbench.api.v1alpha1.workload.workload import MOST_NAMES
from solrbench.http_auth import HttpAuth
from solrbench.load.auth import load_auth
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.workload.http_requests import Node, prepare_node
from solrbench.load.workload.loader import load_workload
from solrbench.load.workload.request_mix import PreparedWorkload
from solrbench.plan.load_plan import LoadPlan
from solrbench.plan.workload_files import WARM_UP_FOLDER


@dataclass(frozen=True)
class LoadTarget:
    """What is sent, and where to.

    Attributes:
        requests: the names, and what is drawn from
        seed: of whatever is drawn for users
        nodes: users are spread over them evenly
        timeout_seconds: a response that takes longer is a failure
        variants: nodes of the variants by name; step runs with a variant go there instead
        warm_up: the same for warm-ups, if they have queries of their own

    """

    requests: PreparedWorkload
    seed: int
    nodes: Sequence[Node]
    timeout_seconds: float
    variants: Mapping[str, Sequence[Node]] = field(default_factory=dict)
    warm_up: "LoadTarget | None" = None

    def of(self, assignment: Assignment) -> "LoadTarget":
        """Return what is sent in a step run or warm-up."""
        return self.warm_up if assignment.is_warm_up and self.warm_up is not None else self

    def nodes_of(self, variant: str) -> Sequence[Node]:
        """Return where the users of a step run go; `variant` is empty without variants."""
        return self.variants[variant] if variant else self.nodes


def load_target(plan: LoadPlan, queries_folder: Path) -> LoadTarget:
    """Return requests and nodes of a plan.

    Raises:
        LoadError: `NoQueries`, `MalformedQueries`, `NoDocuments`, `MalformedDocuments`,
            `BadPlan` or `CertificateNotTrusted`.

    """
    own = plan.workload.of_warm_up
    target = _load(plan, queries_folder)
    if own is None:
        return target
    # The names of a warm-up are in no result.
    warm_up = plan.model_copy(update={"workload": own, "max_request_names": MOST_NAMES})
    return replace(target, warm_up=_load(warm_up, queries_folder / WARM_UP_FOLDER))


def _load(plan: LoadPlan, queries_folder: Path) -> LoadTarget:
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
