"""Sweeps: watched, and reconciled when something is due.

- `handlers`: kopf wiring
- `reconcile`: one reconcile over one sweep: observe, decide, store the status, apply benchmarks
- `plans`: the plans of sweeps, kept while their spec stays
- `invalid`: a stored sweep that breaks the schema
"""
