"""The `solrbench` command, also installed as `kubectl solrbench`.

The module of a command is imported only when the command is called.
"""
