"""Logs of queries: their rates and mix, and how they are replayed."""
