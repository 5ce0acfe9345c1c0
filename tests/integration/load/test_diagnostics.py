"""Thread dumps of one repeat, taken by a real master on loopback."""

import json
from pathlib import Path

import pytest

from support.load.processes import make_plan, run_plan, serving
from support.servers.http_server import Exchange

STEP = {"name": "step", "users": 2, "durationSeconds": 3}
DUMP = {
    "system": {
        "threadCount": {"current": 1, "peak": 1, "daemon": 0},
        "threadDump": ["thread", {"id": 7, "name": "qtp-7", "state": "RUNNABLE"}],
    }
}


class DumpingSolr:
    """Says what its threads do, from the second time on."""

    def __init__(self) -> None:
        self.dumps = 0

    async def __call__(self, exchange: Exchange) -> None:
        if not exchange.path.endswith("/admin/info/threads"):
            exchange.send()
            return
        self.dumps += 1
        failed = self.dumps == 1
        exchange.send(json.dumps(DUMP).encode(), status=503 if failed else 200)


@pytest.mark.timeout(60)
def test_dumps_of_the_repeat_are_in_its_document(tmp_path: Path) -> None:
    diagnostics = {"repeat": 1, "threadDumps": {"count": 5, "intervalSeconds": 1}}
    with serving(DumpingSolr()) as server:
        plan = make_plan(server, STEP, diagnostics=diagnostics)
        (document,) = run_plan(tmp_path, plan, "a\nb\n")
    found = document.diagnostics
    assert 2 <= len(found) < 5  # those after the end are left out
    assert [each.name.split("-")[:2] for each in found[:2]] == [["threads", "1"], ["threads", "2"]]
    assert b"no thread dump of http://127.0.0.1" in found[0].unpack()
    assert b'"qtp-7" #7\n   state: RUNNABLE' in found[1].unpack()
