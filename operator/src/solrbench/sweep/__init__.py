"""Sweeps: the points of a plan, which of them is next, and what all of them show."""
