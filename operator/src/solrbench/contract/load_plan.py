"""Input of the load pods: a JSON file, the same for master and workers."""

from solrbench.api.rules import LenientModel, Model
from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.load.capacity import Capacity
from solrbench.api.v1alpha1.load.diagnostics import Diagnostics
from solrbench.api.v1alpha1.load.load import DEFAULT_PERCENTILES, OnWorkerLoss, Step, StopRules
from solrbench.api.v1alpha1.load.telemetry import LoadTelemetry
from solrbench.api.v1alpha1.load.warm_up import WarmUp
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.rules.storage_limits import MAX_REPORT_BYTES
from solrbench.api.v1alpha1.workload.workload import MOST_NAMES, Workload
from solrbench.plan.auth_files import AuthFiles

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
"""Where workers meet the master."""


class VariantEndpoints(Model):
    """Where the requests of one variant go."""

    variant: str
    """Name of the variant."""
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
    """Component of the pod."""


class StoredTrial(Model):
    """What a search needs of a trial that is measured."""

    variant: str = ""
    number: int
    """From 1; 0 for the probe."""
    requests_per_second: float
    """Planned rate; of users, and of the probe, the rate of good responses."""
    users: int | None = None
    """Its users; None with a rate."""
    excess: float
    """1 - limit / measured, of the objective that was exceeded most."""


class CapacitySearch(Model):
    """The search for the highest load that meets the objectives, through each variant."""

    capacity: Capacity
    objectives: list[Objective]
    variants: list[str] = [""]
    """Names of the variants; one empty name without variants."""
    workers: int
    seed: int
    stored: list[StoredTrial] = []
    """Trials of earlier attempts, which are not measured again."""


class LoadPlan(Model):
    """The work of one attempt of the load."""

    benchmark: str
    """namespace/name, for logs and the web page."""
    attempt: int
    solr_urls: list[str]
    """Base URLs of the nodes; users are spread over them evenly."""
    access: AuthFiles = AuthFiles()
    """What Solr requires of its clients."""
    variants: list[VariantEndpoints] = []
    """Where step runs with a variant go instead."""
    collection: str
    workload: Workload
    generator: Generator | None = None
    """The dataset's generator, for generated queries and updates."""
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
    diagnostics: Diagnostics | None = None
    """What is taken from Solr's JVMs."""
    zookeeper_servers: list[str] = []
    """`host:port` of the servers of an ensemble that was made for the benchmark."""
    agents: list[PodAgent] = []
    """Agents in the pods of the target."""
    percentiles: list[float] = list(DEFAULT_PERCENTILES)
    """Those that step runs are stored with."""
    step_runs: list[PlannedStepRun]
    objectives: list[Objective] = []
    """Those that may leave out steps."""
    stop: StopRules = StopRules()
    search: CapacitySearch | None = None
    """Run after all step runs."""
    waits_from_repeat: int | None = None
    """From this repeat on, none begins before all results are stored: the operator may end the load
    by them."""
    max_request_names: int = MOST_NAMES
    """Request names that fit into the status and the report."""
    max_result_bytes: int = MAX_REPORT_BYTES
    """What the document of one step run may take of the report."""
    resumption: Resumption = Resumption()
    master_host: str
    """Where workers find the master."""


class LoadState(LenientModel):
    """Response of `GET /solrbench/state`."""

    stage: str
    """WaitingForWorkers, EmptyingCaches, WarmingUp, Ramping, Measuring, Storing, Finished or
    Failed."""
    workers: int = 0
    """Workers connected."""
    step_run_id: str | None = None
    """Id of the step run under way."""
    repeat: int | None = None
    variant: str | None = None
    """Variant of the step run under way, if the target has variants."""
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
    """Failures among them."""
    p50_milliseconds: float | None = None
    """Percentiles of these requests over all workers: of service times, in an open loop of
    response times."""
    p95_milliseconds: float | None = None
    p99_milliseconds: float | None = None
    elapsed_seconds: float = 0.0
    """Of the step run under way."""
    unacknowledged: list[str] = []
    """Ids of finished step runs whose documents wait to be stored."""
    reason: str | None = None
    """CamelCase reason when `stage` is Failed: WorkerLost, NoQueries, TargetUnreachable …"""
    message: str | None = None
