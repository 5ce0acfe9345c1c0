"""`python -m solrbench.cli`."""

from solrbench.cli.program import start

start()
