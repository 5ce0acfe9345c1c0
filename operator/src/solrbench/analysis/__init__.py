"""Conclusions from stored documents: step results, verdicts, comparisons, objectives, capacity.

Nothing here does I/O: the same documents give the same conclusions in the operator, on the
command line and in an export.
"""
