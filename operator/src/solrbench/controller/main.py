"""The operator process."""

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version

import kopf
from prometheus_client import CollectorRegistry

from solrbench.api.kinds import KINDS
from solrbench.controller.handlers import Handlers
from solrbench.controller.kopf_settings import LEASE_MEMO
from solrbench.controller.settings import Settings
from solrbench.controller.sweep_handlers import SweepHandlers
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.lease import LeasedConnection, LeaseTakenError, OperatorLease
from solrbench.kube.official import open_officially
from solrbench.metrics.operator import PrometheusMetrics, serve

log = logging.getLogger("solrbench")

POLL_SECONDS = 1.0
"""Between two looks at a Lease that another operator holds."""
RENEW_SECONDS = 1.5


def run_operator(environment: Mapping[str, str]) -> None:
    """Run until the process is signalled to stop.

    It raises `ValueError` if the environment is not as it must be, or the definition of the
    resource is missing; the kubelet tries again.
    """
    settings = Settings.from_environment(environment)
    connection = open_officially()
    cluster = Cluster(connection)
    for kind in KINDS:
        if not cluster.serves(*kind.reference):
            raise ValueError(f"the cluster does not serve {kind.definition}; apply crds/ first")
    log_format = kopf.LogFormat.JSON if settings.log_format == "json" else kopf.LogFormat.FULL
    kopf.configure(log_format=log_format, quiet=settings.log_level == "WARNING")
    telemetry = PrometheusMetrics(version("solrbench"), settings.metrics_result_seconds)
    metrics = serve(telemetry.registry, settings.metrics_port) if settings.metrics_port else None
    lease = None
    try:
        if settings.lease:
            key = settings.operator_namespace, settings.lease
            lease = OperatorLease(cluster, *key, socket.gethostname())
            wait_for_lease(lease, settings.health_port)
            threading.Thread(target=keep_lease, args=(lease,), name="lease", daemon=True).start()
            cluster = Cluster(LeasedConnection(connection, lease))
            cluster.fencing_number = lease.number
        registry = kopf.OperatorRegistry()
        Handlers(cluster, settings, telemetry, watches=True).register(registry)
        SweepHandlers(cluster, settings, telemetry).register(registry)
        kopf.run(
            registry=registry,
            standalone=True,
            namespaces=settings.namespaces,
            clusterwide=not settings.namespaces,
            liveness_endpoint=settings.health_url,
            memo=kopf.Memo({LEASE_MEMO: lease}),
        )
    finally:
        if lease is not None and lease.number:
            release_lease(lease)
        if metrics is not None:
            metrics.close()


def wait_for_lease(lease: OperatorLease, health_port: int) -> None:
    """Return when the Lease is held; meanwhile the kubelet finds the process alive."""
    # As the first process of a container it has no default action for this signal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = None
    try:
        while True:
            try:
                if lease.try_take():
                    return
            except TemporaryError as error:
                log.warning("the Lease cannot be taken: %s", error)
            if server is None and health_port:
                server = serve(CollectorRegistry(), health_port)
                log.info("another operator holds the Lease; this one waits")
            time.sleep(POLL_SECONDS)
    finally:
        if server is not None:
            server.close()


def keep_lease(lease: OperatorLease, end: Callable[[int], None] = os._exit) -> None:
    """Renew the Lease until another one has it; then end the process, whatever it does."""
    while True:
        time.sleep(RENEW_SECONDS)
        try:
            lease.renew()
        except LeaseTakenError as error:
            if not lease.is_released:
                log.critical("the operator ends: %s", error)
                end(1)
            return
        except SolrbenchError as error:
            log.warning("the Lease is not renewed: %s", error)
        except Exception:
            # Without this thread the operator would live, and write nothing any more.
            log.critical("the operator ends", exc_info=True)
            end(1)
            return


def release_lease(lease: OperatorLease) -> None:
    """Let another operator take over at once."""
    try:
        lease.release()
    except SolrbenchError as error:
        log.warning("the Lease is not released, another operator waits for its end: %s", error)
