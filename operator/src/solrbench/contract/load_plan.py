"""Input of the load pods, the same JSON for master and workers, and the state that they report.

Plans are ConfigMaps and only name the files with credentials, whose contents stay in Secrets.
"""

import math

from solrbench.api.rules import LenientModel, Model
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.arrivals import WarmUp
from solrbench.api.v1alpha1.dataset import Dataset, Generator
from solrbench.api.v1alpha1.load import DEFAULT_PERCENTILES, OnWorkerLoss, Step, StopRules
from solrbench.api.v1alpha1.objectives import (
    MAX_CONFIRMATIONS,
    OVERLOAD_TRIALS,
    PROBE_SECONDS,
    Capacity,
    FailureLimit,
    Objective,
    SearchFor,
)
from solrbench.api.v1alpha1.result_rules import MAX_REPORT_BYTES
from solrbench.api.v1alpha1.target import Existing
from solrbench.api.v1alpha1.validity import Diagnostics, LoadTelemetry, Visibility
from solrbench.api.v1alpha1.workload import MAX_REQUEST_NAMES, Workload
from solrbench.contract.step_runs import variant_names

USERNAME, PASSWORD = "username", "password"
CREDENTIALS_FOLDER = "/var/run/solrbench/credentials"
STATE_FOLDER = "/var/run/solrbench/state"
CA_FOLDER = "/var/run/solrbench/ca"
CA_KEY = "ca.crt"
TOKEN = "token"  # noqa: S105 - name of a key
DOWNLOAD_CREDENTIALS_FOLDER = "/var/run/solrbench/dataset-credentials"
DOWNLOAD_CA_FOLDER = "/var/run/solrbench/dataset-ca"


class AuthFiles(Model):
    """Files on a pod's disk, mounted from Secrets."""

    credentials_folder: str | None = None
    """Folder with the files `username` and `password`."""
    ca_file: str | None = None
    """Certificates of the authorities to trust, in PEM."""


def auth_files(existing: Existing | None) -> AuthFiles:
    """Return the files that the pods of a benchmark with this target find."""
    if existing is None:
        return AuthFiles()
    return AuthFiles(
        credentials_folder=None if existing.basic_auth is None else CREDENTIALS_FOLDER,
        ca_file=None if existing.tls is None else f"{CA_FOLDER}/{CA_KEY}",
    )


LOAD_PLAN_FILE = "/etc/solrbench/load-plan.json"
QUERIES_FOLDER = "/var/run/solrbench/queries"
"""Where the ConfigMap or volume with the query file is mounted."""

LOCUSTFILE_FOLDER = "/var/run/solrbench/locustfile"
"""Where the ConfigMap with the custom locustfile is mounted, in workers only."""

OTHER_VERSION_REMEDY = (
    "install the operator's version that the load began with, or create the benchmark again"
)
"""Where the operator and a load master do not agree on what is exchanged."""

WEB_PORT = 8089
"""Locust's web page and, below `/solrbench`, state and results."""

LOCUST_PORT = 5557


class VariantEndpoints(Model):
    """Where the requests of one variant go."""

    variant: str
    urls: list[str]
    """Base URLs; users are spread over them evenly."""


class PlannedStepRun(Model):
    """One step of one repeat that is still to be measured."""

    id: str
    """`StepRunId` as text, the key of its result."""
    repeat: int
    variant: str = ""
    """Name of the variant to go through; empty for `LoadPlan.solr_urls`."""
    step: Step
    step_index: int = 0
    """Place of the step in the ladder, from 0."""
    trial: int | None = None
    """Number of the trial in the search for the capacity, 0 for the probe; None for a step."""
    ramp_from_requests_per_second: float = 0.0
    """Planned rate of the step before in the ladder, where a ramp begins; 0 without one."""

    @property
    def batch_size(self) -> int | None:
        """Documents in each request; None unless the step indexes."""
        return None if self.step.indexing is None else self.step.indexing.batch_size


class Resumption(Model):
    """What earlier attempts of the load sent of the ladder that a plan begins with."""

    offsets: list[int] = []
    """For each entry of the workload where its list goes on behind the stored step runs."""
    lost_steps: int = 0
    """Times that the first step run of the plan may have been begun, and was lost."""
    lost_warm_ups: int = 0
    """Times that the warm-up before it may have been, too."""
    may_repeat: bool = False
    """How much was sent beyond these offsets is unknown."""


class PodAgent(Model):
    """The agent of one pod."""

    address: str
    """`host:port` where it is found."""
    component: str


class StoredTrial(Model):
    """What a search needs of a trial that is measured."""

    variant: str = ""
    number: int
    """From 1; 0 for the probe, and above `Capacity.max_trials` for confirming runs."""
    requests_per_second: float
    """Planned rate, of indexing that of updates; of users, and of the probe, the rate of good
    responses."""
    users: int | None = None
    """Its users; None with a rate."""
    excess: float
    """1 - limit / measured, of the objective that was exceeded most."""
    is_long: bool = True
    """Whether what was measured has an interval of its own."""


class CapacitySearch(Model):
    """The search for the highest load that meets the objectives, through each variant."""

    capacity: Capacity
    objectives: list[Objective]
    max_failed_percent: float
    """Failed requests with which a step is Invalid, in per cent of all."""
    variants: list[str] = [""]
    """Names of the variants; one empty name without variants."""
    workers: int
    seed: int
    stored: list[StoredTrial] = []
    """Trials of earlier attempts, which are not measured again."""

    @property
    def limits(self) -> list[Objective]:
        """What trials are held to; as a target may refuse requests quickly, failures always."""
        if any(each.failures is not None and each.request is None for each in self.objectives):
            return self.objectives
        failures = FailureLimit(max_percent=self.max_failed_percent)
        return [*self.objectives, Objective(name="failures", failures=failures)]


class AnswersPlan(Model):
    """The pass of answers before the load."""

    queries: int
    """Distinct queries that are sent at most."""
    first: int
    """Documents of each answer that are kept at most."""
    variants: list[str]
    """Those whose answers are not stored yet; an empty name without variants."""
    max_bytes: int
    """What the answers through one variant may take."""
    empties_caches: bool = False
    """Whether Solr's caches are emptied after it, so that the load finds them as they were."""


class LoadPlan(Model):
    """The work of one attempt of the load."""

    benchmark: str
    """namespace/name, for logs and the web page."""
    attempt: int
    solr_urls: list[str]
    """Base URLs of the nodes; users are spread over them evenly."""
    access: AuthFiles = AuthFiles()
    variants: list[VariantEndpoints] = []
    """Where step runs with a variant go instead."""
    collection: str
    """Where requests go: the collection, or an alias of it."""
    aliased: str | None = None
    """The collection itself where `collection` is an alias; absent where it is none."""
    workload: Workload
    generator: Generator | None = None
    """The dataset's generator, for generated queries and updates."""
    dataset: Dataset | None = None
    """The dataset whose files have the contents of what steps add; None of all others."""
    steps_index: bool = False
    """Whether any step of the benchmark adds documents, those that are measured already included:
    an attempt before may have left some."""
    id_field: str = "id"
    """Unique key of the documents, for generated updates."""
    warm_up: WarmUp | None = None
    """Run before the first step run of every repeat, and variant, in this plan."""
    prepares_each_step: bool = False
    """It is run before every step run."""
    empties_caches: bool = False
    """Solr's caches are emptied before it, or where it would be."""
    workers: int
    on_worker_loss: OnWorkerLoss = OnWorkerLoss.REPEAT_STEP
    telemetry: LoadTelemetry = LoadTelemetry()
    visibility: Visibility | None = None
    diagnostics: Diagnostics | None = None
    """What is taken from Solr's JVMs."""
    zookeeper_servers: list[str] = []
    """`host:port` of the servers of an ensemble that was made for the benchmark."""
    agents: list[PodAgent] = []
    percentiles: list[float] = list(DEFAULT_PERCENTILES)
    """Those that step runs are stored with."""
    step_runs: list[PlannedStepRun]
    objectives: list[Objective] = []
    """Those that may leave out steps."""
    answers: AnswersPlan | None = None
    stop: StopRules = StopRules()
    search: CapacitySearch | None = None
    """Run after all step runs."""
    waits_from_repeat: int | None = None
    """From this repeat on, none begins before all results are stored: the operator may end the load
    by them."""
    max_request_names: int = MAX_REQUEST_NAMES
    """Request names that fit into the status and the report."""
    max_result_bytes: int = MAX_REPORT_BYTES
    """What the document of one step run may take of the report."""
    resumption: Resumption = Resumption()
    master_host: str
    token: str
    """What workers and the operator show the master (`net.token`)."""
    agent_token: str = ""

    @property
    def collection_of_cores(self) -> str:
        """The collection as Solr's metrics and state name it."""
        return self.aliased or self.collection


class LoadState(LenientModel):
    """Response of `GET /solrbench/state`."""

    stage: str
    """WaitingForWorkers, SendingQueries, EmptyingCaches, WarmingUp, Ramping, Measuring, Storing,
    Finished or Failed."""
    workers: int = 0
    step_run_id: str | None = None
    repeat: int | None = None
    variant: str | None = None
    step: str | None = None
    users: int = 0
    """Users running; 0 while a planned rate is sent."""
    planned_requests_per_second: float | None = None
    """Rate that the step under way plans, if it does."""
    requests: int = 0
    """Requests of the step run (or warm-up) under way so far."""
    failures: int = 0
    requests_per_second: float = 0.0
    """Over the last five seconds."""
    recent_requests: int | None = None
    """Requests that ended in the last ten seconds; absent before the first."""
    recent_failures: int | None = None
    p50_milliseconds: float | None = None
    """Percentiles of these requests over all workers: of service times, in an open loop of
    response times."""
    p95_milliseconds: float | None = None
    p99_milliseconds: float | None = None
    elapsed_seconds: float = 0.0
    """Of the step run under way."""
    refused: int = 0
    """Requests and messages that came without the token."""
    agents_refused: bool = False
    """Whether agents in pods of the target had such requests; False before they were read."""
    unacknowledged: list[str] = []
    """Ids of finished step runs whose documents wait to be stored."""
    reason: str | None = None
    """CamelCase reason when `stage` is Failed: WorkerLost, NoQueries, TargetUnreachable …"""
    message: str | None = None

    @property
    def refused_by(self) -> tuple[str, ...]:
        """Who had requests or messages without the token, in words, without numbers."""
        known = {"the load master": self.refused > 0, "an agent in a pod": self.agents_refused}
        return tuple(who for who, has_refused in known.items() if has_refused)


PROBE = 0
"""Number of the probe; trials are numbered from 1."""

_MIN_RATE = 0.001
_DIGITS = 3


def trial_ids(spec: Spec) -> frozenset[str]:
    """Return every id that a trial may have through any variant, probes included."""
    if spec.load.capacity is None:
        return frozenset()
    return frozenset(
        _id(index, variant, number)
        for index, variant in enumerate(variant_names(spec))
        # One more for the probe.
        for number in range(spec.load.capacity.max_trials + MAX_CONFIRMATIONS + 1)
    )


def planned_probe(search: CapacitySearch, variant: str) -> PlannedStepRun:
    """Return the closed loop that finds a rate which is too high, or how times depend on users."""
    capacity = search.capacity
    # Each worker needs a user.
    users = max(capacity.probe_users, search.workers)
    if capacity.search_for is SearchFor.USERS:
        users = min(users, capacity.max_users)
    step = Step(
        name="capacity-probe",
        users=users,
        duration_seconds=PROBE_SECONDS,
        think_time=capacity.think_time,
        indexing=capacity.indexing,
    )
    return _planned(search, variant, PROBE, step, 0.0)


def planned_trial(
    search: CapacitySearch, variant: str, number: int, rate: float, overload: float | None = None
) -> PlannedStepRun:
    """Return a trial at a rate, which settles before; a confirming run does so from an overload."""
    capacity, sent = search.capacity, max(round(rate, _DIGITS), _MIN_RATE)
    is_trial = number <= capacity.max_trials
    settle = capacity.settle_seconds if is_trial else OVERLOAD_TRIALS * capacity.trial_seconds
    step = Step(
        name=f"capacity-trial-{number}",
        requests_per_second=sent,
        arrival_distribution=capacity.arrival_distribution,
        max_in_flight=capacity.max_in_flight,
        ramp_seconds=settle,
        duration_seconds=_seconds(capacity, number),
        indexing=capacity.indexing,
    )
    return _planned(search, variant, number, step, sent if overload is None else overload)


def planned_users_trial(
    search: CapacitySearch, variant: str, number: int, users: int
) -> PlannedStepRun:
    """Return a trial with users, who start in the time that it takes to settle."""
    capacity = search.capacity
    step = Step(
        name=f"capacity-trial-{number}",
        users=users,
        spawn_rate=math.ceil(users / capacity.settle_seconds),
        think_time=capacity.think_time,
        duration_seconds=_seconds(capacity, number),
        indexing=capacity.indexing,
    )
    return _planned(search, variant, number, step, 0.0)


def _seconds(capacity: Capacity, number: int) -> int:
    """Return how long a trial is measured, or a confirming run, which is no shorter."""
    is_trial = number <= capacity.max_trials
    return max(capacity.trial_seconds, 0 if is_trial else capacity.confirm_seconds)


def _planned(
    search: CapacitySearch, variant: str, number: int, step: Step, ramp_from: float
) -> PlannedStepRun:
    return PlannedStepRun(
        id=_id(search.variants.index(variant), variant, number),
        repeat=1,
        variant=variant,
        step=step,
        trial=number,
        ramp_from_requests_per_second=ramp_from,
    )


def _id(variant_index: int, variant: str, number: int) -> str:
    endpoint = f"v{variant_index}-" if variant else ""
    return f"capacity-{endpoint}t{number:02}"
