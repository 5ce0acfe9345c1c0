"""`solrbench compare`: two benchmarks, sweeps or reports beside each other.

- `command`: the command and its options
- `sides`: what is named, read from files or the cluster
- `output`: a comparison as table, Markdown, CSV and JSON
"""
