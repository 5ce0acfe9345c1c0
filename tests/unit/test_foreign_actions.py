"""What a tenant tries from another namespace: nothing succeeds, and each attempt is shown.

They may reach the ports of a benchmark where no NetworkPolicy is enforced, and create resources of
their own that name what is another's.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import httpx2 as httpx
import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.load_plan import LoadState, PodAgent
from solrbench.controller.endpoint import check_hosts
from solrbench.errors import SolrbenchError
from solrbench.net.token import TOKEN_HEADER
from solrbench.telemetry.agent import serve
from solrbench.telemetry.sources import AgentSource
from support.failing import refused
from support.fakes.fake_cluster import FakeCluster
from support.load.own_process import run_python
from support.load.web_page import Page
from support.load.worker_results import merged_document
from support.resources.bad.sweeps import BAD_SWEEPS
from support.resources.pod_options import POD_OPTIONS
from support.resources.small_resource import Changes, resource
from support.resources.small_sweep import parse_sweep
from support.servers.in_thread import in_thread

TOKENS = {"no token": None, "an empty token": "", "the token of another": "x"}
PAGES = {
    "read the state": ("GET", "/solrbench/state"),
    "read the step under way": ("GET", "/solrbench/unfinished"),
    "read a result": ("GET", "/solrbench/results/r1-s0-a"),
    "acknowledge a result": ("POST", "/solrbench/results/r1-s0-a/ack"),
    "stop the run": ("POST", "/stop"),
    "start users": ("POST", "/swarm"),
    "choose users": ("POST", "/user"),
    "reset statistics": ("POST", "/stats/reset"),
}
RECORDINGS = {
    "read usage": ("GET", "/usage"),
    "read the GC log": ("GET", "/gc-log?begin=0"),
    "record a flight": ("POST", "/flight-recording?seconds=9"),
    "end and read a recording": ("DELETE", "/flight-recording"),
    "read a file": ("GET", "/etc/passwd"),
}
HOSTS = (
    "http://solr.shop.svc:8983/solr",
    "http://kubernetes.default.svc/solr",
    "http://169.254.169.254/solr",
    "http://[::1]:8983/solr",
    "http://localhost:8983/solr",
)


def ask_master(folder: Path, method: str, path: str, token: str | None) -> str:
    """Return what the status shows after a request to the page of a load master."""
    page = Page(folder)
    page.store.add(merged_document("r1-s0-a"))
    headers = {} if token is None else {TOKEN_HEADER: token}
    assert page.foreign.open(path, method=method, headers=headers).status_code == 401
    assert (page.stops, page.pressed, page.store.unacknowledged) == (0, [], ["r1-s0-a"])
    return shown(refused=page.check.refused)


def ask_agent(folder: Path, method: str, path: str, token: str | None) -> str:
    """Return what the status shows after a request to an agent, which takes recordings."""
    with in_thread(serve(0, "t", flight_recordings=True)) as address:
        headers = {} if token is None else {TOKEN_HEADER: token}
        answer = httpx.request(method, f"http://{address}{path}", headers=headers, trust_env=False)
        assert answer.status_code == 401
        source = AgentSource([PodAgent(address=address, component="solr")], "t")
        source.read(full=True)
    return shown(agents_refused=source.has_refused)


def shown(**seen: int) -> str:
    return " ".join(LoadState.model_validate({"stage": "Measuring"} | seen).refused_by)


def apply(_: Path, parse: Callable[[Changes], object], changes: Changes) -> str:
    """Return what the API server says of a resource, as its rules are those of the models."""
    return "; ".join(refused(parse, changes))


def parse_benchmark(changes: Changes) -> SolrBenchmark:
    return SolrBenchmark.parse(resource(changes))


def lead_to(_: Path, url: str) -> str:
    """Return what is said of a target at an address."""
    with pytest.raises(SolrbenchError) as caught:
        check_hosts(FakeCluster(hosts=["192.0.2.10"]), (".search.svc",), [url])
    return str(caught.value)


Action = Callable[[Path], str]


def actions() -> Iterator[tuple[str, Action, str]]:
    """Yield each action with words of what is shown of it."""
    for (what, request), (how, token) in product(PAGES.items(), TOKENS.items()):
        act = partial(ask_master, method=request[0], path=request[1], token=token)
        yield f"{what} with {how}", act, "the load master"
    for (what, request), (how, token) in product(RECORDINGS.items(), TOKENS.items()):
        act = partial(ask_agent, method=request[0], path=request[1], token=token)
        yield f"{what} of a pod with {how}", act, "an agent in a pod"
    for row in POD_OPTIONS:
        if row.name.startswith(
            ("pod options with the ", "pod options with a variable of a Secret")
        ):
            yield row.name, partial(apply, parse=parse_benchmark, changes=row.changes), row.local
    for name, (changes, words) in BAD_SWEEPS.items():
        if "of ours" in name:
            yield name, partial(apply, parse=parse_sweep, changes=changes), words
    for url in HOSTS:
        yield f"a target at {url}", partial(lead_to, url=url), "HostNotAllowed"


ACTIONS = {name: (act, words) for name, act, words in actions()}
MESSAGES = 12
"""That are sent to the socket for workers."""


def test_there_are_sixty_of_nine_kinds() -> None:
    assert len(ACTIONS) + MESSAGES >= 60


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_from_another_namespace_fails_and_is_shown(name: str, tmp_path: Path) -> None:
    act, words = ACTIONS[name]
    assert words in act(tmp_path)


@pytest.mark.slow
def test_messages_of_foreign_workers_are_not_taken_and_counted() -> None:
    done = run_python("-m", "support.load.foreign_messages")
    assert done.pop("too_long_is_cut_off")
    assert done == {"sent": MESSAGES, "taken": 0, "refused": MESSAGES}
    assert shown(refused=MESSAGES) == "the load master"
