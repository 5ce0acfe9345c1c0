"""Repeats of a step beside each other: whether they agree, and how far they lie apart."""
