"""`solrbench open`: Locust's page of a running benchmark, by kubectl's port-forward."""

import shutil
import subprocess
import sys

import click

from solrbench.cli.options import KUBECONFIG, cluster_options, open_cluster
from solrbench.cli.program import examples, program_name
from solrbench.plan import names
from solrbench.plan.load_plan import WEB_PORT
from solrbench.plan.names import LABEL_BENCHMARK, LABEL_COMPONENT


@click.command(
    name="open",
    epilog=examples("solrbench open quickstart", "solrbench open quickstart --port 9000"),
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
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@cluster_options
def open_page(
    name: str, port: int, no_browser: bool, context: str | None, namespace: str | None
) -> None:
    """Open Locust's page of a benchmark whose load runs, until Ctrl-C.

    kubectl forwards the port. For results, see `report`.
    """
    cluster, place = open_cluster(context, namespace)
    labels = {LABEL_BENCHMARK: name, LABEL_COMPONENT: names.LOAD_MASTER}
    pods = cluster.list("v1", "Pod", place, labels)
    running = [each for each in pods if (each.get("status") or {}).get("phase") == "Running"]
    if not running:
        raise click.ClickException(
            f"no load of {name} runs in namespace {place}; see its state with"
            f" `{program_name()} watch {name}`, or its results with `report`"
        )
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        raise click.ClickException("kubectl forwards the port, and is not on the PATH; install it")
    address = f"http://127.0.0.1:{port}"
    click.echo(f"Locust's page of {name}: {address} (Ctrl-C ends it)")
    command = [kubectl, "-n", place, "port-forward", f"pod/{running[0]['metadata']['name']}"]
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
