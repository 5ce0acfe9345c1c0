"""Results are stored, read back, and known from then on."""

from datetime import timedelta
from typing import Any, cast

import pytest

from solrbench.cluster.client import Cluster
from solrbench.cluster.reports import Reports
from solrbench.errors import TemporaryError
from support.fake_cluster import FakeCluster
from support.objects import stored
from unit.results.builders import START, make_document, make_result

BENCHMARK = stored()
FIRST, SECOND = (
    make_document("two", repeat, make_result([1000 * repeat])).model_copy(
        update={"start_time": START + timedelta(seconds=10 * repeat)}
    )
    for repeat in (1, 2)
)


class Watched(FakeCluster):
    """Notes what it was asked for; drops the contents of what it should keep, on request."""

    def __init__(self) -> None:
        super().__init__()
        self.selectors: list[dict[str, str]] = []
        self.forgetful = False

    def list(
        self, _: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> list[dict[str, Any]]:
        self.selectors.append(selector)
        return super().list(_, kind, namespace, selector)

    def apply(self, manifest: dict[str, Any]) -> dict[str, Any]:
        return manifest if self.forgetful else super().apply(manifest)


def store(reports: Reports, *documents: Any) -> None:
    for document in documents:
        reports.store(BENCHMARK, document, 1)


def test_only_what_was_written_is_read_back() -> None:
    cluster = Watched()
    reports = Reports(cast(Cluster, cluster))
    store(reports, SECOND, FIRST)
    assert list(reports.documents(BENCHMARK).items()) == [(FIRST.id, FIRST), (SECOND.id, SECOND)]
    whole, *read_back = [each.get("solrbench.io/pass") for each in cluster.selectors]
    assert (whole, read_back) == (None, [SECOND.id, FIRST.id])


def test_another_operator_finds_the_same() -> None:
    cluster = cast(Cluster, FakeCluster())
    store(Reports(cluster), SECOND, FIRST)
    assert list(Reports(cluster).documents(BENCHMARK).values()) == [FIRST, SECOND]


def test_what_is_not_there_is_not_known() -> None:
    cluster = Watched()
    reports = Reports(cast(Cluster, cluster))
    store(reports, FIRST)
    cluster.forgetful = True
    with pytest.raises(TemporaryError, match="ResultNotStored"):
        store(reports, SECOND)
    assert list(reports.documents(BENCHMARK)) == [FIRST.id]
