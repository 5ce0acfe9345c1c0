"""Verdicts from a record of where pods ran."""

from solrbench.api.v1alpha1 import Spec
from solrbench.contract.environment import AttemptRecord, Environment
from support.results.builders import make_spec, verdicts_of
from support.results.validity_documents import healthy

SEPARATE_NODES = {"solr": ["n1", "n2"], "load-master": ["n3"], "load-worker": ["n3"]}


def outcome(
    *attempts: dict[str, list[str]], spec: Spec | None = None
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the messages of reasons and of gaps."""
    records = [AttemptRecord(target=n, load=n, nodes=nodes) for n, nodes in enumerate(attempts, 1)]
    environment = Environment(spec_hash="", attempts=records) if records else None
    (verdict,) = verdicts_of(spec or make_spec("a"), [healthy()], environment)
    assert verdict.verdict == ("Invalid" if verdict.reasons else "Valid")
    reasons, gaps = (
        {each.reason: each.message for each in found}
        for found in (verdict.reasons, verdict.unchecked)
    )
    return reasons, gaps
