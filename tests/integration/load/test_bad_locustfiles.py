"""Custom locustfiles that cannot work: real workers say why."""

from pathlib import Path

import pytest

from support.load.custom_locustfiles import FAST, custom_load, custom_plan
from support.load.processes import serving

pytestmark = pytest.mark.timeout(150)

MALFORMED = {
    "syntax": ("class A(:\n", "locustfile.py, line 1: SyntaxError: "),
    "import": (
        "\nimport no_such_module\n",
        "locustfile.py, line 2: ModuleNotFoundError: No module",
    ),
    "assert": ("x = 1\nassert x == 2, 'x is 1'\n", "locustfile.py, line 2: AssertionError: x is 1"),
    "exit": ("import sys\nsys.exit('no')\n", "locustfile.py, line 2: SystemExit: no"),
    "no class": ("from locust import HttpUser\n", "locustfile.py has no user class"),
    "absent class": (FAST, "locustfile.py has no user class Raeder; it has Reader"),
    "fixed": (
        "from locust import User\nclass A(User):\n    fixed_count = 1\n",
        "have a fixed_count of 1 users together, the load has 2",
    ),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_locustfile_fails_for_good(tmp_path: Path, kind: str) -> None:
    text, message = MALFORMED[kind]
    step = {"name": "any", "users": 2, "requests": 2}
    chosen = {"classes": ["Raeder"]} if kind == "absent class" else {}
    with serving() as server:
        plan = custom_plan(server, step, workers=1, locustfile=chosen)
        with custom_load(tmp_path, plan, text) as load:
            assert load.exit_codes(20) == [3, 3]
        log = (tmp_path / "log").read_text()
        assert "MalformedLocustfile: " in log
        assert message in log
        assert server.requests == []


@pytest.mark.parametrize("place", ["on_start", "__init__"])
def test_users_that_fail_before_they_begin_end_the_run(tmp_path: Path, place: str) -> None:
    text = FAST.replace('self.client.get("/select?q=hello", name="log-in")', "1 / 0")
    if place == "__init__":
        text = text.replace("def on_start(self)", "def __init__(self, environment)")
    with serving() as server:
        plan = custom_plan(server, {"name": "any", "users": 2, "durationSeconds": 60}, workers=1)
        with custom_load(tmp_path, plan, text) as load:
            state = load.wait(lambda state: state.stage == "Failed", 60)
            assert state.reason == "LocustfileFailed"
            assert "line 11: ZeroDivisionError" in (state.message or "")
