"""Our kinds in a group of their own, beside those that are installed for all."""

import copy
import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from kubernetes import config
from kubernetes.dynamic import DynamicClient

from hack.generate.crd import build_crd
from solrbench.api.kinds import KINDS
from solrbench.kube.client import Cluster, connect
from support.cluster.admission import reach_api_server
from support.cluster.definitions import installed

Body = dict[str, Any]


class RenamedKinds:
    """A cluster that calls our group by another name on the way to the API server and back."""

    def __init__(self, cluster: Cluster, group: str) -> None:
        self._cluster = cluster
        self._there = (f'"{KINDS[0].api_version}"', f'"{group}/{KINDS[0].version}"')

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._cluster, name)

        def renamed(*arguments: Any, **options: Any) -> Any:
            sent = [_replace(each, *self._there) for each in arguments]
            return _replace(call(*sent, **options), *reversed(self._there))

        return renamed


def _replace(value: Any, old: str, new: str) -> Any:
    if isinstance(value, (dict, list, str)):
        return json.loads(json.dumps(value).replace(old, new))
    return value


@contextmanager
def renamed_kinds() -> Iterator[RenamedKinds]:
    """Install the definitions of the tree under a group of their own until the end of the block."""
    reach_api_server()
    dynamic = DynamicClient(config.new_client_from_config())
    group = f"t{uuid.uuid4().hex[:8]}.solrbench.test"
    with ExitStack() as stack:
        for kind in KINDS:
            definition = copy.deepcopy(build_crd(kind))
            definition["metadata"]["name"] = f"{kind.plural}.{group}"
            definition["spec"]["group"] = group
            stack.enter_context(installed(dynamic, definition))
        yield RenamedKinds(connect(), group)
