"""Options shared by several commands: which cluster, which form, how long, which colours."""

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from solrbench.cli.errors import CONTEXT, SERVER, as_cli_errors
from solrbench.cli.program import Command
from solrbench.kube.client import Cluster, connect
from solrbench.kube.kubeconfig import find_access

GIVEN = "solrbench.cli.options"
"""Key of click's context: values of the options that say which cluster is meant, by name."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# Not by durationpy: it skips what stands between two parts ("1h or 30m" is 90 minutes), and 5mm are
# months to it.
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


class Duration(click.ParamType[float]):
    """Seconds, as Go writes durations: `90s`, `30m`, `1h30m`; a bare number counts seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds."""
        # click may give a value that is converted already.
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


def cluster_options(function: Command) -> Command:
    """Add the options that say which cluster and namespace are meant; `open_cluster` reads them."""
    # No command has arguments for them: most would only pass them on to the same function.
    kept = partial(click.option, expose_value=False, callback=_keep)
    for option in (
        kept(
            "--kubeconfig",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Kubeconfig to use (default: $KUBECONFIG, ~/.kube/config, the pod's account).",
        ),
        kept("--context", metavar="NAME", help="Context of the kubeconfig (default: the current)."),
        kept(
            "-n",
            "--namespace",
            metavar="NAMESPACE",
            help="Namespace of the benchmark (default: that of the kubeconfig).",
        ),
        click.option(
            "--no-color",
            is_flag=True,
            expose_value=False,
            callback=_switch_off_color,
            help="Print no colours; NO_COLOR does the same.",
        ),
    ):
        function = option(function)
    return function


def _keep(ctx: click.Context, option: click.Parameter, value: object) -> None:
    ctx.meta.setdefault(GIVEN, {})[option.name] = value


def _switch_off_color(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        os.environ["NO_COLOR"] = "1"  # rich reads it
        ctx.color = False


def given(option: str) -> Any:
    """Return the value of one of the options of `cluster_options`; None if it is not given."""
    return click.get_current_context().meta.get(GIVEN, {}).get(option)


def output_option(*forms: str, text: str | None = None) -> Callable[[Command], Command]:
    """Return the option for the form of the output, the first of `forms` unless set."""
    return click.option(
        "-o", "--output", type=click.Choice(forms), default=forms[0], show_default=True, help=text
    )


def open_cluster() -> tuple[Cluster, str]:
    """Return a client of the cluster that the options name, and the namespace that is meant.

    It raises `click.ClickException` if there is no cluster to talk to.
    """
    context, kubeconfig = given("context"), given("kubeconfig")
    with as_cli_errors():
        access = find_access(context, kubeconfig)
        # Errors of later requests name what was opened here.
        meta = click.get_current_context().meta
        meta[SERVER], meta[CONTEXT] = access.server, access.context
        return connect(context, kubeconfig), given("namespace") or access.namespace
