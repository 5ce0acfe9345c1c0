"""What a target requires of its clients, read from mounted files."""

from solrbench.errors import PermanentError
from solrbench.http_auth import HttpAuth, read_auth
from solrbench.load.errors import LoadError
from solrbench.plan.load_plan import LoadPlan
from solrbench.reasons.load import LoadReason


def load_auth(plan: LoadPlan) -> HttpAuth:
    """Return what the target requires of its clients, checked.

    Raises:
        LoadError: `BadPlan` if a file is missing, `CertificateNotTrusted` if it is none.

    """
    try:
        access = read_auth(plan.access)
        if access.ca is not None:
            _ = access.ssl_context
    except OSError as error:
        message = f"{error}; it is mounted from a Secret of target.existing"
        raise LoadError(LoadReason.BAD_PLAN, message) from error
    except PermanentError as error:
        raise LoadError(error.reason, error.message) from error
    return access
