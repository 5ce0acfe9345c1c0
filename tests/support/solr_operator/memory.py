"""An API server in memory: enough for one reconcile after another."""

import copy
from typing import Any

Body = dict[str, Any]
Kind = tuple[str, str]


class Memory:
    """Objects by kind and name; an object whose finalizers are gone goes, too."""

    def __init__(self, *bodies: Body) -> None:
        self.objects: dict[tuple[Kind, str], Body] = {}
        for body in bodies:
            self._put(body)

    def get(self, kind: Kind, name: str) -> Body | None:
        return copy.deepcopy(self.objects.get((kind, name)))

    def select(self, kind: Kind, labels: dict[str, str]) -> list[Body]:
        return [
            copy.deepcopy(body)
            for (each, _), body in self.objects.items()
            if each == kind and labels.items() <= body["metadata"]["labels"].items()
        ]

    def apply(self, body: Body) -> Body:
        kind = (body["apiVersion"], body["kind"])
        old = self.objects.get((kind, body["metadata"]["name"]), {})
        uid = old.get("metadata", {}).get("uid", "sts-1")
        merged = old | body | {"metadata": body["metadata"] | {"uid": uid}}
        return self._put(merged)

    def replace(self, body: Body) -> Body:
        return self._put(body)

    def replace_status(self, body: Body) -> None:
        self._put(body)

    def add_conditions(self, pod: Body, conditions: list[Body]) -> None:
        stored = self.objects[(("v1", "Pod"), pod["metadata"]["name"])]
        stored["status"]["conditions"] += conditions

    def delete(self, kind: Kind, name: str) -> None:
        self.objects.pop((kind, name), None)

    def kinds(self) -> list[str]:
        return sorted(f"{kind[1]}/{name}" for kind, name in self.objects)

    def _put(self, body: Body) -> Body:
        metadata = body["metadata"]
        key = ((body["apiVersion"], body["kind"]), metadata["name"])
        if "deletionTimestamp" in metadata and not metadata.get("finalizers"):
            self.objects.pop(key, None)
        else:
            self.objects[key] = copy.deepcopy(body)
        return copy.deepcopy(body)
