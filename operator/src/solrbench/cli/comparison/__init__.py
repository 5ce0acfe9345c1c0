"""`solrbench compare`: two benchmarks, sweeps or reports beside each other.

- `command`: the command and its options
- `side_reader`: what is named, read from files or the cluster
- `output`: a comparison as table, Markdown, CSV and JSON
"""
