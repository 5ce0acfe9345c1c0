"""Whether the objects that a spec refers to exist."""

from dataclasses import dataclass

from solrbench.decide.checks.outcome import Check, Outcome, wait
from solrbench.reasons.lifecycle import LifecycleReason


@dataclass(frozen=True)
class ConfigMapReference:
    """A ConfigMap that the spec refers to.

    Attributes:
        field: path of the reference in the resource
        name: of the ConfigMap
        wanted: keys that it must have
        keys: keys that it has; `None` if it does not exist

    """

    field: str
    name: str
    wanted: tuple[str, ...]
    keys: frozenset[str] | None


@dataclass(frozen=True)
class ClaimReference:
    """A PersistentVolumeClaim that the spec refers to.

    Attributes:
        field: path of the reference in the resource
        name: of the claim
        exists: whether there is one

    """

    field: str
    name: str
    exists: bool


@dataclass(frozen=True)
class References:
    """All objects that a spec refers to, beside Secrets and hosts.

    Attributes:
        namespace: where they must be
        config_maps: the ConfigMaps
        claims: the PersistentVolumeClaims

    """

    namespace: str
    config_maps: tuple[ConfigMapReference, ...]
    claims: tuple[ClaimReference, ...]


def check_config_maps(found: References) -> Outcome | None:
    """Wait until every ConfigMap exists with its keys."""
    for each in found.config_maps:
        if each.keys is None:
            return wait(
                LifecycleReason.CONFIG_MAP_NOT_FOUND,
                f"{each.field}: there is no ConfigMap {each.name} in namespace {found.namespace};"
                " create it",
            )
        missing = [key for key in each.wanted if key not in each.keys]
        if missing:
            return wait(
                LifecycleReason.CONFIG_MAP_KEY_NOT_FOUND,
                f"{each.field}: ConfigMap {each.name} has no key {', '.join(missing)};"
                f" it has {', '.join(sorted(each.keys)) or 'none'}; add it",
            )
    return None


def check_claims(found: References) -> Outcome | None:
    """Wait until every PersistentVolumeClaim exists."""
    for each in found.claims:
        if not each.exists:
            return wait(
                LifecycleReason.VOLUME_CLAIM_NOT_FOUND,
                f"{each.field}: there is no PersistentVolumeClaim {each.name} in namespace"
                f" {found.namespace}; create it",
            )
    return None


REFERENCE_CHECKS: tuple[Check[References], ...] = (check_config_maps, check_claims)
