"""Programs in a process of their own: importing Locust patches the one that does it."""

import json
import os
import subprocess
import sys
from typing import Any

from support.repository import ROOT


def run_python(*arguments: str, given: object = None) -> Any:
    """Return what Python prints as JSON in the end; it reads `given` as JSON."""
    ran = subprocess.run(
        [sys.executable, *arguments],
        input=json.dumps(given),
        env={"PYTHONPATH": os.pathsep.join((f"{ROOT}/operator/src", f"{ROOT}/tests"))},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(ran.stdout.splitlines()[-1])
