"""Where a load process finds its files, ports and credentials; all else is in the plan."""

from dataclasses import dataclass
from pathlib import Path

from solrbench.contract.load_plan import (
    LOAD_PLAN_FILE,
    LOCUST_PORT,
    LOCUSTFILE_FOLDER,
    QUERIES_FOLDER,
    STATE_FOLDER,
    WEB_PORT,
    LoadPlan,
)
from solrbench.errors import PermanentError
from solrbench.load.errors import LoadError
from solrbench.load.schedule.messages import WORKER_SILENT_SECONDS
from solrbench.net.http import HttpAuth, read_auth
from solrbench.reasons.load import LoadReason


@dataclass(frozen=True)
class LoadSettings:
    """Settings of a master or worker; the defaults are those of the pods."""

    plan_file: Path = Path(LOAD_PLAN_FILE)
    queries_folder: Path = Path(QUERIES_FOLDER)
    locustfile_folder: Path = Path(LOCUSTFILE_FOLDER)
    results_folder: Path = Path(STATE_FOLDER)
    """Where finished documents lie until they are acknowledged."""
    web_port: int = WEB_PORT
    locust_port: int = LOCUST_PORT
    """Port on which workers meet the master."""
    target_seconds: float = 30.0
    """How long any node may take to respond at the start."""
    unacknowledged_seconds: float = 60.0
    """How long a failed master offers finished documents."""
    worker_silent_seconds: int = WORKER_SILENT_SECONDS
    """The master takes a worker for lost whose heartbeat stays away for so long."""


def load_auth(plan: LoadPlan) -> HttpAuth:
    """Return what the target requires of its clients, checked.

    It raises `LoadError` with `BadPlan` if a file is missing, with `CertificateNotTrusted` if it is
    no certificate.
    """
    try:
        access = read_auth(plan.access)
        if access.ca is not None:
            # Made only to be checked: a bad certificate shall end the attempt before any request.
            _ = access.verify
    except (OSError, UnicodeError) as error:
        message = f"{error}; it is mounted from a Secret of target.existing"
        raise LoadError(LoadReason.BAD_PLAN, message) from error
    except PermanentError as error:
        raise LoadError(error.reason, error.message) from error
    return access
