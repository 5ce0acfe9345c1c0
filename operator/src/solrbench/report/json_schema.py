"""The published JSON Schema of the full report, generated from its models."""

import json
from typing import Any

from solrbench.report.model import SCHEMA_VERSION, Report

SCHEMA_ID = f"urn:solrbench:report:{SCHEMA_VERSION}"
"""Identifies the schema; it has no address on the net."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def report_schema() -> dict[str, Any]:
    """Return the schema of what `solrbench report -o json` writes.

    Unknown fields are allowed: versions that write more are still of this version of the format.
    """
    body = Report.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": _DIALECT, "$id": SCHEMA_ID, **_open(body)}


def render_report_schema() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(report_schema(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _open(node: Any) -> Any:
    """Return a schema without its refusals of unknown fields."""
    if isinstance(node, dict):
        return {
            key: _open(each) for key, each in node.items() if key != "additionalProperties" or each
        }
    return [_open(each) for each in node] if isinstance(node, list) else node
