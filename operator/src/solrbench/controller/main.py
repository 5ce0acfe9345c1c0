"""The operator process."""

from collections.abc import Mapping
from importlib.metadata import version

import kopf
from prometheus_client import CollectorRegistry

from solrbench.cluster.client import connect
from solrbench.controller.handlers import Handlers
from solrbench.controller.settings import Settings
from solrbench.telemetry.metrics import Telemetry, serve


def run_operator(environment: Mapping[str, str]) -> None:
    """Run until the process is told to stop.

    Raises:
        ValueError: if the environment is not as it must be.

    """
    settings = Settings.from_environment(environment)
    log_format = kopf.LogFormat.JSON if settings.log_format == "json" else kopf.LogFormat.FULL
    kopf.configure(log_format=log_format, quiet=settings.log_level == "WARNING")
    telemetry = Telemetry(CollectorRegistry(), version("solrbench"))
    registry = kopf.OperatorRegistry()
    Handlers(connect(), settings, telemetry).register(registry)
    metrics = serve(telemetry.registry, settings.metrics_port) if settings.metrics_port else None
    try:
        kopf.run(
            registry=registry,
            standalone=True,
            namespaces=settings.namespaces,
            clusterwide=not settings.namespaces,
            liveness_endpoint=(
                f"http://0.0.0.0:{settings.health_port}/healthz" if settings.health_port else None
            ),
        )
    finally:
        if metrics is not None:
            metrics.close()
