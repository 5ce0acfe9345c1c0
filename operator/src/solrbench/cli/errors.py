"""Every error as one line with a remedy, and its exit code."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from solrbench.api.identity import KIND, SWEEP_KIND
from solrbench.cli.program import ExitCode
from solrbench.errors import SolrbenchError
from solrbench.kube.connection import (
    ForbiddenError,
    KindNotServedError,
    NotFoundError,
    UnauthorizedError,
    UnreachableError,
)
from solrbench.kube.kubeconfig import NoClusterError
from solrbench.reasons.end import ApiServerReason

SERVER, CONTEXT = "solrbench.server", "solrbench.context"
"""Keys of click's context: the cluster that was last opened."""

DEBUG = "SOLRBENCH_DEBUG"
"""Variable that shows the traceback of an error."""

_MAX_PROBLEMS = 3


class CommandError(click.ClickException):
    """An error for the terminal, with an exit code of its own."""

    def __init__(self, message: str, code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.exit_code = code.value  # type: ignore[misc]  # click's own tests do so


@contextmanager
def as_cli_errors() -> Iterator[None]:
    """Turn errors of the cluster, and foreign resources, into one line and an exit code."""
    try:
        yield
    except SolrbenchError as error:
        raise _of_cluster(error) from error
    except NoClusterError as error:
        raise CommandError(f"no cluster to use: {error}", ExitCode.UNREACHABLE) from error
    except ValueError as error:
        from pydantic import ValidationError  # noqa: PLC0415  commands without models start faster

        from solrbench.api.rules import problems  # noqa: PLC0415  the same

        if not isinstance(error, ValidationError):
            raise
        raise CommandError(
            "the stored benchmark is not one of this version of the command:"
            f" {'; '.join(problems(error)[:_MAX_PROBLEMS])}; use the command of the operator's"
            " version"
        ) from error


@contextmanager
def as_one_line() -> Iterator[None]:
    """Turn all errors into one line, unless the traceback is asked for.

    On a terminal the line is broken between words; programs get it whole.
    """
    try:
        with as_cli_errors():
            yield
    except click.ClickException as error:
        if sys.stderr.isatty():
            # click declares it final; a new error would lose the usage that some show with it.
            vars(error)["message"] = _wrapped(error.message, shutil.get_terminal_size().columns)
        raise
    except (click.Abort, click.exceptions.Exit):
        raise
    except Exception as error:
        # click ends quietly when the program that it writes to, such as head, has ended.
        if os.environ.get(DEBUG) or isinstance(error, BrokenPipeError):
            raise
        if isinstance(error, ModuleNotFoundError):
            # Pages, among others, are made of what only that extra brings.
            text = f"this needs {error.name}, which is not installed; install solrbench[report]"
            raise CommandError(text) from error
        if isinstance(error, OSError) and error.strerror:
            # Of a file or a folder; standard output has no name.
            name = f"{error.filename}: " if error.filename else ""
            raise CommandError(
                f"{name}{error.strerror}; check the path, its rights and the space on its disk"
            ) from error
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        raise CommandError(
            f"unexpected {text}; please report it, with what {DEBUG}=1 prints"
        ) from error


def _wrapped(text: str, width: int) -> str:
    """Return what click prints behind `Error: `, broken where a line has more columns."""
    from solrbench.cli.terminal import wrap_line  # noqa: PLC0415  errors for programs need no rich

    lines = f"Error: {text}".splitlines()
    return "\n".join(part for line in lines for part in wrap_line(line, width))[len("Error: ") :]


def _of_cluster(error: SolrbenchError) -> CommandError:  # noqa: PLR0911 - one for each error
    current = click.get_current_context(silent=True)
    meta = current.meta if current else {}
    server, context = meta.get(SERVER) or "", meta.get(CONTEXT) or ""
    match error:
        case UnreachableError():
            return CommandError(
                f"the cluster {server} does not respond: {error.message}; {_remedy(error)}",
                ExitCode.UNREACHABLE,
            )
        # What is absent is read as None: only a write into such a namespace ends so.
        case NotFoundError() if 'namespaces "' in error.message:
            return CommandError(
                f"{error.message}; make it with kubectl create namespace, or choose another with -n"
            )
        case UnauthorizedError():
            return CommandError(
                f"not logged in to {context or server}: {error.message}; renew the credentials of"
                " the kubeconfig, or choose another --context",
                ExitCode.UNREACHABLE,
            )
        # First: the name of the other kind is a part of this one.
        case KindNotServedError() if SWEEP_KIND in error.message:
            return CommandError(
                f"{SWEEP_KIND} is not installed in the cluster {server}; upgrade the chart"
                " solr-benchmark-operator, and its definitions"
            )
        case KindNotServedError() if KIND in error.message:
            return CommandError(
                f"{KIND} is not installed in the cluster {server}; install the chart"
                " solr-benchmark-operator, or choose another --context"
            )
        case ForbiddenError():
            return CommandError(f"not allowed: {error.message}; ask for a role that permits it")
        case _ if error.reason is ApiServerReason.NOT_FOUND:
            return CommandError(error.message)
        case _:
            return CommandError(f"{error.reason}: {error.message}")


def _remedy(error: UnreachableError) -> str:
    """Return what to do about a cluster that sends no response."""
    if "CERTIFICATE_VERIFY_FAILED" in error.message:
        return "correct certificate-authority-data, or tls-server-name, in the kubeconfig"
    variables = ("HTTPS_PROXY", "ALL_PROXY")
    proxies = [name for name in variables if os.environ.get(name) or os.environ.get(name.lower())]
    text = "check that it runs, or choose another with --context or --kubeconfig"
    return f"{text}; or correct {proxies[0]} or NO_PROXY" if proxies else text
