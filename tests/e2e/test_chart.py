"""The chart's own test, in the cluster."""

import subprocess

from support.cluster import kube


def test_helm_test_passes() -> None:
    command = ["helm", "test", "solrbench", "--namespace", kube.NAMESPACE, "--timeout", "2m"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Succeeded" in done.stdout
