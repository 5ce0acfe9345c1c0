"""Emptied caches and warm-ups between steps, with a real master and workers on loopback."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.load.processes import make_plan, run_plan, serving
from support.servers.caching_solr import CachingSolr

pytestmark = pytest.mark.timeout(90)

LOW = {"name": "low", "users": 2, "requests": 20}
HIGH = {"name": "high", "users": 4, "requests": 40}
WARM_UP = 10


@pytest.mark.parametrize(
    ("fields", "emptied", "warm_ups"),
    [
        ({"preparesEachStep": True}, [0, WARM_UP + 20], [WARM_UP, WARM_UP]),
        ({"preparesEachStep": False}, [0], [WARM_UP, 0]),
        ({"preparesEachStep": True, "warmUp": None}, [0, 20], [0, 0]),
    ],
    ids=["before each step", "before each repeat", "cold"],
)
def test_steps_begin_with_empty_caches(
    fields: dict[str, Any], emptied: list[int], warm_ups: list[int], tmp_path: Path
) -> None:
    solr = CachingSolr()
    with serving(solr) as server:
        warm_up = {"warmUp": {"requests": WARM_UP, "users": 2}}
        plan = make_plan(server, LOW, HIGH, emptiesCaches=True, **(warm_up | fields))
        documents = run_plan(tmp_path, plan, "a\nb\n")
    assert solr.emptied == emptied
    assert [each.warm_up_requests for each in documents] == warm_ups
    before = [each.emptied_caches for each in documents if each.emptied_caches is not None]
    assert [each.entries_before for each in before] == emptied
    assert len(solr.queries) == sum(warm_ups) + 60


def test_warm_up_sends_queries_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path.with_name(f"{tmp_path.name}-warm-up")
    folder.mkdir()
    (folder / "queries.txt").write_text("warm\nwarmer\n")
    solr = CachingSolr()
    with serving(solr) as server:
        warm_up = {"requests": WARM_UP, "users": 2}
        plan = make_plan(server, LOW, HIGH, preparesEachStep=True, warmUp=warm_up)
        others = {"configMap": {"name": "others"}, "order": "Sequential"}
        plan["workload"]["warmUpQueries"] = others
        documents = run_plan(tmp_path, plan, "\n".join(f"word{n}" for n in range(60)))
    assert [each.warm_up_requests for each in documents] == [WARM_UP, WARM_UP]
    assert [each.list_offsets for each in documents] == [[20], [60]]
    asked = Counter(solr.queries)
    assert {word: asked.pop(word) for word in ("warm", "warmer")} == {"warm": 10, "warmer": 10}
    assert set(asked.values()) == {1}
