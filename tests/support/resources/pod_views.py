"""Pods as decisions see them."""

from datetime import datetime
from typing import Any

from solrbench.decide.views import PodView


def pod_view(name: str, created: datetime, **fields: Any) -> PodView:
    """Return a running pod of Solr, ready and without trouble, except for `fields`."""
    running: dict[str, Any] = {
        "uid": "u",
        "component": "solr",
        "attempt": 1,
        "phase": "Running",
        "reason": "",
        "message": "",
        "ip": "",
        "node": "",
        "ready": True,
        "deleting": False,
        "unschedulable": "",
    }
    return PodView(name=name, created=created, **(running | fields))
