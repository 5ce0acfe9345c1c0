"""`python -m solrbench.cli`."""

from solrbench.cli.main import main

main()
