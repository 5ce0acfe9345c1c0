"""The load master: runs the plan on its workers and keeps results until acknowledged."""
