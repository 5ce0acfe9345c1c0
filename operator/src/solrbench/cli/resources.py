"""Benchmarks and sweeps as they are named on the command line."""

from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from typing import NamedTuple

from solrbench.api.identity import (
    BENCHMARKS,
    GROUP,
    KIND,
    PLURAL,
    SHORT_NAME,
    SWEEP_KIND,
    SWEEP_PLURAL,
    SWEEP_SHORT_NAME,
    SWEEPS,
)
from solrbench.cli.errors import CommandError
from solrbench.cli.program import program_name
from solrbench.contract.names import LABEL_SWEEP
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError, KindNotServedError
from solrbench.kube.reader import Manifest

Kind = tuple[str, str]
"""`apiVersion` and `kind`: `BENCHMARKS` or `SWEEPS`."""

_PREFIXES = {
    **dict.fromkeys((KIND.lower(), PLURAL, SHORT_NAME, "benchmark"), BENCHMARKS),
    **dict.fromkeys((SWEEP_KIND.lower(), SWEEP_PLURAL, SWEEP_SHORT_NAME, "sweep"), SWEEPS),
}


class ResourceKey(NamedTuple):
    """What a benchmark or a sweep is found by, in the order in which the client takes it."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @property
    def is_sweep(self) -> bool:
        """Whether it is that of a sweep."""
        return self.kind == SWEEP_KIND

    @property
    def argument(self) -> str:
        """Namespace and name as the commands take them: a bare name is a benchmark's first."""
        name = f"{SWEEP_SHORT_NAME}/{self.name}" if self.is_sweep else self.name
        return f"-n {self.namespace} {name}"

    @property
    def typed_name(self) -> str:
        """Kind and name as kubectl prints and takes them."""
        return f"{self.kind.lower()}.{GROUP}/{self.name}"


def key_of(body: Manifest) -> ResourceKey:
    """Return the key of a benchmark or a sweep of the cluster."""
    metadata = body["metadata"]
    return ResourceKey(body["apiVersion"], body["kind"], metadata["namespace"], metadata["name"])


def list_points(cluster: Cluster, sweep: ResourceKey) -> Iterator[Manifest]:
    """Yield the benchmarks of a sweep, few in one response: a status has hundreds of results."""
    return cluster.list_in_parts(*BENCHMARKS, sweep.namespace, {LABEL_SWEEP: sweep.name})


def parse_reference(text: str) -> tuple[Kind | None, str]:
    """Return kind and name of `ssweep/nightly`; of a bare name the kind is None.

    It raises `CommandError` if there is no such kind.
    """
    prefix, slash, name = text.rpartition("/")
    if not slash:
        return None, name
    kind = _PREFIXES.get(prefix.lower().removesuffix(f".{GROUP}"))
    if kind is None or not name:
        raise CommandError(f"{text}: must be NAME, {SHORT_NAME}/NAME or {SWEEP_SHORT_NAME}/NAME")
    return kind, name


def find_resource(cluster: Cluster, namespace: str, text: str) -> Manifest | None:
    """Return what is named; of a bare name the benchmark, then the sweep; None if there is none."""
    wanted, name = parse_reference(text)
    for kind in (BENCHMARKS, SWEEPS) if wanted is None else (wanted,):
        try:
            body = cluster.get(*kind, namespace, name)
        except (ForbiddenError, KindNotServedError):
            if kind != SWEEPS or wanted is not None:
                raise
            continue  # chart or role in the cluster are older than sweeps
        if body is not None:
            return body
    return None


def get_resource(cluster: Cluster, namespace: str, text: str) -> Manifest:
    """Return what is named; `CommandError` says that there is no such benchmark or sweep."""
    body = find_resource(cluster, namespace, text)
    if body is None:
        kind, name = parse_reference(text)
        what = f"{KIND} or {SWEEP_KIND}" if kind is None else kind[1]
        raise CommandError(
            f"there is no {what} {name} in namespace {namespace};"
            f" {suggest_name(cluster, namespace, text)}"
        )
    return body


def suggest_name(cluster: Cluster, namespace: str, text: str) -> str:
    """Return what to do about a name that is not there: take one that is near, or look."""
    wanted, name = parse_reference(text)
    names: list[str] = []
    for kind in (BENCHMARKS, SWEEPS) if wanted is None else (wanted,):
        # Without the right to list them there is no suggestion, and no second error.
        with suppress(SolrbenchError):
            names += [each["metadata"]["name"] for each in cluster.list_metadata(*kind, namespace)]
    near = get_close_matches(name, names)
    return f'did you mean "{near[0]}"?' if near else f"see {program_name()} list -A"
