"""Options shared by several commands: which cluster, which form, how long, which colours."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from solrbench.cli.errors import CONTEXT, SERVER, as_cli_errors
from solrbench.kube.client import Cluster, connect
from solrbench.kube.kubeconfig import find_access

__all__ = ["DURATION", "as_cli_errors", "cluster_options", "open_cluster", "output_option"]

KUBECONFIG = "solrbench.kubeconfig"
"""Key of click's context: the file that is given."""

Command = TypeVar("Command", bound=Callable[..., object])

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


class Duration(click.ParamType[float]):
    """Seconds, as Go writes durations: `90s`, `30m`, `1h30m`; a bare number counts seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds."""
        text = str(value)
        parts = _DURATION.findall(text)
        if parts and "".join(number + unit for number, unit in parts) == text:
            seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
        else:
            try:
                seconds = float(text)
            except ValueError:
                self.fail(f"{text!r} is not a duration, such as 90s, 30m or 1h30m", param, ctx)
        if not 0 < seconds < float("inf"):
            self.fail(f"{text!r} must be more than 0", param, ctx)
        return seconds


DURATION = Duration()


def cluster_options(command: Command) -> Command:
    """Add the options that say which cluster and namespace are meant."""
    namespace = click.option(
        "-n",
        "--namespace",
        metavar="NAMESPACE",
        help="Namespace of the benchmark (default: that of the kubeconfig).",
    )
    context = click.option(
        "--context", metavar="NAME", help="Context of the kubeconfig (default: the current)."
    )
    kubeconfig = click.option(
        "--kubeconfig",
        metavar="FILE",
        type=click.Path(path_type=Path),
        expose_value=False,
        callback=_keep_kubeconfig,
        help="Kubeconfig to use (default: $KUBECONFIG, ~/.kube/config, the pod's account).",
    )
    return color_option(namespace(context(kubeconfig(command))))


def output_option(*forms: str, text: str | None = None) -> Callable[[Command], Command]:
    """Return the option for the form of the output, the first of `forms` unless set."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help=text,
    )


def color_option(command: Command) -> Command:
    """Add the option for terminals, and logs, without colours."""
    return click.option(
        "--no-color",
        is_flag=True,
        expose_value=False,
        callback=_switch_off_color,
        help="Print no colours; NO_COLOR does the same.",
    )(command)


def _keep_kubeconfig(
    ctx: click.Context,
    _: click.Parameter,
    file: Path | None,
) -> None:
    if file is not None:
        ctx.meta[KUBECONFIG] = file


def _switch_off_color(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        os.environ["NO_COLOR"] = "1"  # rich reads it
        ctx.color = False


def open_cluster(context: str | None, namespace: str | None) -> tuple[Cluster, str]:
    """Return a client, and the namespace that is meant.

    Raises:
        click.ClickException: if there is no cluster to talk to.
    """
    meta = click.get_current_context().meta
    kubeconfig = meta.get(KUBECONFIG)
    with as_cli_errors():
        access = find_access(context, kubeconfig)
        meta[SERVER], meta[CONTEXT] = access.server, access.context
        return connect(context, kubeconfig), namespace or access.namespace
