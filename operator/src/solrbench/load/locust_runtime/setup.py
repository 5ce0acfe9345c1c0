"""Locust's own intervals, set to what a benchmark needs; importing Locust patches the process."""

import logging
import resource

from locust import log, runners

from solrbench.load.schedule.messages import MASTER_SILENT_SECONDS, WORKER_SILENT_SECONDS


def configure_locust(worker_silent_seconds: int = WORKER_SILENT_SECONDS) -> None:
    """Set logging, heartbeats and reports of this process."""
    log.setup_logging("INFO")
    # Users that only stand for those of the engine cost nothing to spawn.
    logging.getLogger(runners.__name__).addFilter(_is_no_spawn_rate_warning)
    runners.WORKER_REPORT_INTERVAL = 1.0
    runners.HEARTBEAT_LIVENESS = worker_silent_seconds
    runners.MASTER_HEARTBEAT_TIMEOUT = MASTER_SILENT_SECONDS


def allow_many_connections() -> None:
    """Use all the open files that the system grants; many start with fewer."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _is_no_spawn_rate_warning(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("Your selected spawn rate is very high")
