"""`solrbench open`: Locust's page by kubectl's port-forward, or the report."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import click

from solrbench.cli.options import KUBECONFIG, cluster_options, open_cluster
from solrbench.cli.program import examples
from solrbench.cli.report import read_any_report, write_report
from solrbench.cli.resources import get_resource
from solrbench.cluster.client import Cluster
from solrbench.plan import names
from solrbench.plan.load_plan import WEB_PORT
from solrbench.plan.names import LABEL_BENCHMARK, LABEL_COMPONENT


@click.command(
    name="open",
    epilog=examples(
        "solrbench open quickstart",
        "solrbench open quickstart --port 9000",
        "solrbench open quickstart --report",
        "solrbench open ssweep/heaps",
    ),
)
@click.argument("name")
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    default=WEB_PORT,
    show_default=True,
    metavar="PORT",
    help="On this machine.",
)
@click.option(
    "--report", "wants_report", is_flag=True, help="Open the report, even while the load runs."
)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@cluster_options
def open_page(  # noqa: PLR0913, PLR0917  one argument for each option
    name: str,
    port: int,
    wants_report: bool,
    no_browser: bool,
    context: str | None,
    namespace: str | None,
) -> None:
    """Open Locust's page of a benchmark whose load runs, until Ctrl-C; else the report.

    kubectl forwards the port. The report, also of a sweep, is written to a file of a temporary
    folder, which stays.
    """
    cluster, place = open_cluster(context, namespace)
    found = get_resource(cluster, place, name)
    pods = [] if found.is_sweep or wants_report else _running_masters(cluster, place, found.name)
    if pods:
        _forward(found.name, place, pods[0], port, context, no_browser=no_browser)
    report = read_any_report(cluster, found)
    file = Path(tempfile.mkdtemp(prefix="solrbench-")) / f"{found.name}.html"
    file.write_text(write_report(report, "html"), "utf-8")
    click.echo(f"Report of {found.name}: {file.as_uri()}")
    if not no_browser:
        click.launch(file.as_uri())


def _running_masters(cluster: Cluster, namespace: str, name: str) -> list[str]:
    labels = {LABEL_BENCHMARK: name, LABEL_COMPONENT: names.LOAD_MASTER}
    pods = cluster.list("v1", "Pod", namespace, labels)
    running = [each for each in pods if (each.get("status") or {}).get("phase") == "Running"]
    return [each["metadata"]["name"] for each in running]


def _forward(  # noqa: PLR0913 - what, where and how
    name: str, namespace: str, pod: str, port: int, context: str | None, *, no_browser: bool
) -> NoReturn:
    """Forward the port until Ctrl-C, then exit with kubectl's code."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        raise click.ClickException("kubectl forwards the port, and is not on the PATH; install it")
    address = f"http://127.0.0.1:{port}"
    click.echo(f"Locust's page of {name}: {address} (Ctrl-C ends it)")
    command = [kubectl, "-n", namespace, "port-forward", f"pod/{pod}"]
    command += [f"{port}:{WEB_PORT}", *_options(context)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as forwarding:  # noqa: S603
        assert forwarding.stdout is not None  # noqa: S101  a pipe
        if forwarding.stdout.readline() and not no_browser:
            click.launch(address)
        sys.exit(forwarding.wait())


def _options(context: str | None) -> list[str]:
    kubeconfig = click.get_current_context().meta.get(KUBECONFIG)
    chosen = {"--context": context, "--kubeconfig": kubeconfig}
    return [f"{option}={value}" for option, value in chosen.items() if value]
