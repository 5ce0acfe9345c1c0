"""The objects of a cluster in memory, for tests of decisions that read a few of them."""

from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any, cast

from solrbench.cluster.client import Cluster
from solrbench.errors import SolrbenchError

Objects = list[dict[str, Any]]


@dataclass
class FewObjects:
    """Objects by kind and name, whatever their namespace.

    Attributes:
        objects: the objects
        refusal: raised by every read
        hosts: where the API server is

    """

    objects: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    refusal: SolrbenchError | None = None
    hosts: list[str] = field(default_factory=list)

    def as_cluster(self) -> Cluster:
        return cast(Cluster, self)

    def add_secret(self, name: str, **data: str) -> None:
        encoded = {key: b64encode(text.encode()).decode() for key, text in data.items()}
        self.objects["Secret", name] = {"data": encoded}

    def get(self, _: str, kind: str, __: str, name: str) -> dict[str, Any] | None:
        if self.refusal is not None:
            raise self.refusal
        return self.objects.get((kind, name))

    def within(self, _: float) -> "FewObjects":
        return self

    def server_hosts(self) -> list[str]:
        return self.hosts

    def list(self, *_: Any) -> Objects:
        return []

    def events(self, *_: Any) -> Objects:
        return []

    def list_if_served(self, *_: Any) -> Objects:
        return []
