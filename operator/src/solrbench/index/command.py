"""The command of an index pod."""

import asyncio
import logging
import math
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx2 as httpx
import uvloop
from pydantic import ValidationError

from solrbench.contract.names import INDEX
from solrbench.contract.pod_plans import (
    DATASET_FOLDER,
    EXIT_PERMANENT,
    EXIT_TERMINATED,
    INDEX_PORT,
    IndexPlan,
)
from solrbench.errors import PermanentError
from solrbench.index.download_rules import DownloadRules
from solrbench.index.errors import IndexingError, RetryPolicy, log_retries
from solrbench.index.files import Partition, ReadCounts
from solrbench.index.progress import (
    Page,
    ProgressCounter,
    as_json,
    as_metrics,
    serve_progress,
    write_termination_message,
)
from solrbench.index.routing import Batch, batches
from solrbench.index.sender import LeaderResolver, PrefetchReader, Sender
from solrbench.index.solr_reader import target_reader
from solrbench.index.sources import ReadContext, read_documents
from solrbench.index.update_client import UpdateClient
from solrbench.net.deadline import wildcard_address
from solrbench.net.http import HttpAuth, read_auth
from solrbench.reasons.data import IndexingReason
from solrbench.telemetry.summary import OwnPodMeter

MAX_PREPARED_BYTES = 1 << 30
"""Of batches that one pod makes before it sends the first."""

EXIT_RETRYABLE = 1
"""Exit code of a pod whose failure another pod may not have: a lost connection."""

_START_RETRIES = 10
"""DNS names of fresh pods resolve late, whatever `batchRetries` says."""

# Solr responds when the replicas have the documents, and merges may stall them.
_TIMEOUT_SECONDS = 300.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class IndexPodEnvironment:
    """What is around the command in its pod; `host` and `port` are of the progress server."""

    folder: Path = Path(DATASET_FOLDER)
    """Where a volume or ConfigMap with documents is mounted."""
    termination_log: Path = Path("/dev/termination-log")
    host: str = field(default_factory=wildcard_address)
    port: int = INDEX_PORT
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    """The waits before anything is tried again; the plan says how often."""
    downloads: DownloadRules = field(default_factory=DownloadRules)


def run_index(
    plan_file: Path, completion_index: int, pod: IndexPodEnvironment | None = None
) -> int:
    """Index this pod's share of the dataset; return 0 or one of the `EXIT_` codes."""
    pod = pod or IndexPodEnvironment()
    log_retries()
    counter = ProgressCounter(completion_index, time.time, OwnPodMeter(INDEX))
    code, failure, reads = 0, None, ReadCounts()
    try:
        uvloop.run(_index(_read_plan(plan_file), counter, reads, pod))
    except IndexingError as error:
        code, failure = EXIT_PERMANENT if error.permanent else EXIT_RETRYABLE, error
    except asyncio.CancelledError:
        code, message = EXIT_TERMINATED, "terminated before all documents were sent"
        failure = IndexingError(IndexingReason.INTERRUPTED, message, permanent=False)
    except Exception as error:  # noqa: BLE001 - the termination message must say what happened
        _log.exception("index pod %d failed", completion_index)
        code, message = EXIT_RETRYABLE, repr(error)
        failure = IndexingError(IndexingReason.INTERNAL_ERROR, message, permanent=False)
    if failure is not None:
        counter.sent()
    counter.read(reads)
    counter.ended(failure)
    write_termination_message(counter.progress, pod.termination_log)
    _log.log(logging.ERROR if failure else logging.INFO, "%s", as_json(counter.progress).decode())
    return code


def _read_plan(file: Path) -> IndexPlan:
    try:
        return IndexPlan.parse_admitted(file.read_bytes())
    except (OSError, ValidationError) as error:
        message = f"{file}: {error}; the operator writes it"
        raise IndexingError(IndexingReason.INVALID_PLAN, message, permanent=True) from error


def _access(plan: IndexPlan) -> HttpAuth:
    try:
        access = read_auth(plan.access)
        _ = access.verify  # reads the certificates: a bad one is named here, not at a connection
    except (OSError, UnicodeError) as error:
        message = f"{error}; it is mounted from a Secret of target.existing"
        raise IndexingError(IndexingReason.INVALID_PLAN, message, permanent=True) from error
    except PermanentError as error:
        raise IndexingError(error.reason, error.message, permanent=True) from error
    return access


async def _index(
    plan: IndexPlan, counter: ProgressCounter, reads: ReadCounts, pod: IndexPodEnvironment
) -> None:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine that runs has a task
    # Cancelled, it still writes what was counted: the kubelet kills the pod 5 s later.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    access = _access(plan)
    # Credentials go to Solr alone: through no proxy of the environment, after no redirect.
    http = httpx.AsyncClient(
        timeout=httpx.Timeout(_TIMEOUT_SECONDS, connect=10.0),
        trust_env=False,
        follow_redirects=False,
        headers=access.headers,
        verify=access.verify,
    )
    pages: dict[str, Page] = {
        "/progress": lambda: ("application/json", as_json(counter.progress)),
        "/metrics": lambda: (
            "text/plain; version=0.0.4; charset=utf-8",
            as_metrics(counter.progress, plan.benchmark),
        ),
    }
    client = UpdateClient(access, _TIMEOUT_SECONDS)
    async with serve_progress(pages, pod.host, pod.port), http, client:
        leaders = LeaderResolver(http, plan)
        retry_policy = replace(pod.retry_policy, retries=plan.dataset.indexing.batch_retries)
        patient = replace(retry_policy, retries=max(retry_policy.retries, _START_RETRIES))
        routes = await patient.call_async(leaders.read)
        sender = Sender(client, leaders, routes, retry_policy, counter)
        await _send_all(plan, reads, pod, sender)


async def _send_all(
    plan: IndexPlan, reads: ReadCounts, pod: IndexPodEnvironment, sender: Sender
) -> None:
    dataset, indexing = plan.dataset, plan.dataset.indexing
    routes, counter = sender.routes, sender.counter

    def read() -> Iterator[Batch]:
        part = Partition(counter.progress.pod, indexing.pods, indexing.batch_size)
        downloads = replace(
            pod.downloads,
            namespace=plan.benchmark.partition("/")[0],
            allowed_hosts=tuple(plan.download_hosts),
            api_server=tuple(plan.api_server),
            seconds=math.inf if plan.max_seconds is None else plan.max_seconds,
        )
        read_context = ReadContext(pod.folder, sender.retry_policy, downloads, reads)
        documents = read_documents(dataset, part, read_context)
        made = batches(documents, routes, indexing.batch_size, dataset.id_field)
        return _limit_prepared(made) if indexing.prepared else made

    target = target_reader(plan) if counter.progress.pod == 0 else None
    depth = sys.maxsize if indexing.prepared else indexing.concurrency
    async with PrefetchReader(read, depth) as reader:
        if indexing.prepared:
            await reader.wait_until_read()
        if target is not None:
            target.begin()
        try:
            await _drain(reader, sender, indexing.concurrency)
            counter.sent()
            if target is not None:
                counter.observed(await asyncio.to_thread(target.end))
        finally:
            if target is not None:
                target.stop()


def _limit_prepared(made: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches that are kept in memory until all are there."""
    size = 0
    for batch in made:
        size += len(batch.body)
        if size > MAX_PREPARED_BYTES:
            raise IndexingError(
                IndexingReason.DATASET_TOO_LARGE,
                f"the batches of this pod take more than {MAX_PREPARED_BYTES >> 20} MiB of memory;"
                " raise spec.dataset.indexing.pods, or leave out prepared",
                permanent=True,
            )
        yield batch


async def _drain(reader: PrefetchReader[Batch], sender: Sender, streams: int) -> None:
    """Send what the reader reads over several streams; the first failure ends them all."""

    async def stream() -> None:
        while (batch := await reader.take()) is not None:
            await sender.send(batch)

    failures: list[BaseException] = []
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(streams):
                group.create_task(stream())
    except* IndexingError as several:
        failures.extend(several.exceptions)
    if failures:  # raised here, since `except*` would wrap it in a group again
        raise failures[0]
