"""Tables of texts that each form of the report renders in its own way.

- `table`: a table: titles, rows, and which columns identify a row
- `comparison_table`: variants, and the benchmark beside its baseline
- `objective_table`: objectives
- `failure_table`: failed requests by kind
- `environment_tables`: nodes, pods, images, versions, seeds
"""
