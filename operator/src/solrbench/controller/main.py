"""The operator process."""

from collections.abc import Mapping
from importlib.metadata import version

import kopf
from prometheus_client import CollectorRegistry

from solrbench.api.kinds import KINDS
from solrbench.controller.handlers import Handlers
from solrbench.controller.settings import Settings
from solrbench.controller.sweep_handlers import SweepHandlers
from solrbench.kube.official import connect_officially
from solrbench.metrics.operator import PrometheusMetrics, serve


def run_operator(environment: Mapping[str, str]) -> None:
    """Run until the process is signalled to stop.

    Raises:
        ValueError: if the environment is not as it must be, or the definition of the resource is
            missing; the kubelet tries again.
    """
    settings = Settings.from_environment(environment)
    cluster = connect_officially()
    for kind in KINDS:
        if not cluster.serves(*kind.reference):
            raise ValueError(f"the cluster does not serve {kind.definition}; apply crds/ first")
    log_format = kopf.LogFormat.JSON if settings.log_format == "json" else kopf.LogFormat.FULL
    kopf.configure(log_format=log_format, quiet=settings.log_level == "WARNING")
    telemetry = PrometheusMetrics(
        CollectorRegistry(), version("solrbench"), settings.metrics_result_seconds
    )
    registry = kopf.OperatorRegistry()
    Handlers(cluster, settings, telemetry, watches=True).register(registry)
    SweepHandlers(cluster, settings, telemetry).register(registry)
    metrics = serve(telemetry.registry, settings.metrics_port) if settings.metrics_port else None
    try:
        kopf.run(
            registry=registry,
            standalone=True,
            namespaces=settings.namespaces,
            clusterwide=not settings.namespaces,
            liveness_endpoint=settings.health_url,
        )
    finally:
        if metrics is not None:
            metrics.close()
