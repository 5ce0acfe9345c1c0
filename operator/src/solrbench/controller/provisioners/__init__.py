"""The ways to a target: made for the benchmark, or existing already."""
