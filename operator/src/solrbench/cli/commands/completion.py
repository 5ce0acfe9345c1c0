"""`solrbench completion`: the script with which a shell completes words."""

import click
from click.shell_completion import get_completion_class

from solrbench.cli.program import examples

PLUGIN_SCRIPT = """#!/usr/bin/env sh
# kubectl calls it for `kubectl solrbench <Tab>`: save it as kubectl_complete-solrbench, executable,
# in a folder of the PATH. The last line asks kubectl not to complete file names.
COMP_WORDS="solrbench $*" COMP_CWORD=$# _SOLRBENCH_COMPLETE=bash_complete solrbench |
	sed 's/^[a-z]*,//'
echo ':4'
"""


@click.command(
    epilog=examples(
        'eval "$(solrbench completion bash)"',
        "solrbench completion fish > ~/.config/fish/completions/solrbench.fish",
        "solrbench completion kubectl > ~/bin/kubectl_complete-solrbench",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "kubectl"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands and options.

    With kubectl, it is a program that kubectl itself calls for `kubectl solrbench`.
    """
    if shell == "kubectl":
        click.echo(PLUGIN_SCRIPT, nl=False)
        return
    found = get_completion_class(shell)
    assert found is not None, shell  # noqa: S101  the choices are click's own
    root = ctx.find_root().command
    click.echo(found(root, {}, "solrbench", "_SOLRBENCH_COMPLETE").source())
