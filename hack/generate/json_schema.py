"""The published JSON Schema of the full report, generated from its models."""

import json
from typing import Any

from solrbench.present.report import Report
from solrbench.present.sweeps.report import SweepReport

SCHEMA_ID = f"urn:solrbench:report:{Report.model_fields['schema_version'].default}"
"""Identifies the schema; it has no address on the net."""

SWEEP_SCHEMA_ID = f"urn:solrbench:sweep-report:{SweepReport.model_fields['schema_version'].default}"

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def report_schema() -> dict[str, Any]:
    """Return the schema of what `solrbench report -o json` writes.

    Unknown fields are allowed: versions that write more are still of this version of the format.
    """
    return _schema(Report, SCHEMA_ID)


def sweep_schema() -> dict[str, Any]:
    """Return the schema of the same for a sweep."""
    return _schema(SweepReport, SWEEP_SCHEMA_ID)


def render_report_schema() -> str:
    """Return the schema as the text of its file."""
    return _text(report_schema())


def render_sweep_schema() -> str:
    """Return the schema of a sweep's report as the text of its file."""
    return _text(sweep_schema())


def _schema(model: type[Report | SweepReport], identifier: str) -> dict[str, Any]:
    body = model.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": _DIALECT, "$id": identifier, **_open(body)}


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _open(node: Any) -> Any:
    """Return a schema without its refusals of unknown fields."""
    if isinstance(node, dict):
        return {
            key: _open(each) for key, each in node.items() if key != "additionalProperties" or each
        }
    return [_open(each) for each in node] if isinstance(node, list) else node
