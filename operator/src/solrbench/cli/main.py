"""The command group; a command's module is imported only when the command is called.

The load pods must patch the standard library before anything else is imported, and the index
pods should not pay for libraries that they never use.
"""

import importlib

import click

COMMANDS = {
    "run": "solrbench.cli.run:run",
    "watch": "solrbench.cli.run:watch",
    "report": "solrbench.cli.report:report",
    "compare": "solrbench.cli.compare:compare",
    "validate": "solrbench.cli.validate:validate",
    "log": "solrbench.cli.log:log",
    "operator": "solrbench.cli.pod_commands:operator",
    "index": "solrbench.cli.pod_commands:index",
    "load": "solrbench.cli.pod_commands:load",
}
"""In the order of the help text: commands of users first, those of pods last."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports them late."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="solrbench", message="solrbench %(version)s")
def main() -> None:
    """Benchmark SolrCloud topologies on Kubernetes.

    Start with: solrbench run -f examples/quickstart.yaml
    """
