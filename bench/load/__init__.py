"""The load core against peers, and its figures against what servers saw."""
