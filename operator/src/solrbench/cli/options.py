"""Options shared by several commands, and the text of the cluster's errors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click
from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.cluster.client import Cluster, NoClusterError, connect, current_namespace
from solrbench.errors import SolrbenchError

_MOST_PROBLEMS = 3

Command = TypeVar("Command", bound=Callable[..., object])


def cluster_options(command: Command) -> Command:
    """Add the options that say which cluster and namespace are meant."""
    namespace = click.option(
        "-n", "--namespace", help="Namespace of the benchmark (default: that of the kubeconfig)."
    )
    context = click.option("--context", help="Context of the kubeconfig (default: the current).")
    return namespace(context(command))


def open_cluster(context: str | None, namespace: str | None) -> tuple[Cluster, str]:
    """Return a client, and the namespace that is meant.

    Raises:
        click.ClickException: if there is no cluster to talk to.

    """
    try:
        return connect(context), namespace or current_namespace(context)
    except NoClusterError as error:
        raise click.ClickException(
            f"no cluster to talk to: {error}; set KUBECONFIG, or give --context"
        ) from error


@contextmanager
def as_cli_errors() -> Iterator[None]:
    """Turn errors of the cluster, and foreign resources, into one line and exit code 1."""
    try:
        yield
    except SolrbenchError as error:
        raise click.ClickException(f"{error.reason}: {error.message}") from error
    except ValidationError as error:
        found = "; ".join(problems(error)[:_MOST_PROBLEMS])
        raise click.ClickException(
            f"the stored benchmark is not one of this version of the command: {found}; use the"
            " command of the operator's version"
        ) from error
