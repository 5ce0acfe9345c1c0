"""The published JSON Schemas of full reports, generated from their models."""

import json
from typing import Any

from solrbench.present.report import Report
from solrbench.present.sweeps.report import SweepReport

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def report_schema(model: type[Report | SweepReport]) -> dict[str, Any]:
    """Return the schema of what `solrbench report -o json` writes of a benchmark or a sweep.

    Unknown fields are allowed: versions that write more are still of this version of the format.
    """
    name = "sweep-report" if model is SweepReport else "report"
    version = model.model_fields["schema_version"].default
    body = model.model_json_schema(by_alias=True, mode="validation")
    # The id only identifies it: it has no address on the net.
    return {"$schema": _DIALECT, "$id": f"urn:solrbench:{name}:{version}", **_open(body)}


def render_schema(model: type[Report | SweepReport]) -> str:
    """Return the schema of a report as the text of its file."""
    return json.dumps(report_schema(model), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _open(node: Any) -> Any:
    """Return a schema without its refusals of unknown fields."""
    if isinstance(node, dict):
        return {
            key: _open(each) for key, each in node.items() if key != "additionalProperties" or each
        }
    return [_open(each) for each in node] if isinstance(node, list) else node
