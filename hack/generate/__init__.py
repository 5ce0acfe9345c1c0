"""Every file that is made from models and tables: CRDs, references, schemas, dashboards.

`python -m hack.generate` writes them, `--check` compares instead, for `make verify`.
"""
