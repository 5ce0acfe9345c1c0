"""Tokens of loads and of agents: drawn once, then read back from the ConfigMap that holds them.

An operator that restarts, or is interrupted, must find what the pods already have.
"""

import secrets

from solrbench.contract import names
from solrbench.contract.endpoints import reads_pods
from solrbench.contract.load_plan import TOKEN
from solrbench.controller.context import ReconcileContext
from solrbench.decide.views import controller_uid
from solrbench.manifests.agent import build_agent_token
from solrbench.manifests.common import owner_uid


def stored_token(context: ReconcileContext, component: str) -> str:
    """Return the token in the ConfigMap of a component; empty if there is none.

    Raises:
        TemporaryError: if the API server does not respond.
    """
    benchmark, name = context.benchmark, names.child(context.benchmark, component)
    body = context.cluster.get("v1", "ConfigMap", context.namespace, name)
    if body is None or controller_uid(body) != owner_uid(benchmark, component):
        return ""
    return str((body.get("data") or {}).get(TOKEN, ""))


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def ensure_agent_token(context: ReconcileContext) -> None:
    """Make the token of the agents, which those of a shared target have in common.

    It must be there before their pods, which read it as they start.
    """
    if reads_pods(context.benchmark) and not stored_token(context, names.SOLR):
        attempt = context.status.attempts.target
        context.cluster.apply(build_agent_token(context.benchmark, attempt, new_token()))
