"""The chart as `helm` renders it."""

import functools
import os
import subprocess
from pathlib import Path
from typing import Any

import yaml

from chart.programs import find_program
from solrbench.controller.settings import Settings

CHART = Path(__file__).parents[2] / "charts" / "solr-benchmark-operator"
VALUES = Path(__file__).parent / "values"
CASES = sorted(path.stem for path in VALUES.glob("*.yaml"))
NAMESPACE = "tools"
KUBERNETES = "1.31.0"

Manifest = dict[str, Any]


def helm(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run helm without a cluster."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "KUBECONFIG": "/dev/null"}
    command = [find_program("helm"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def template(*arguments: str, chart: Path = CHART) -> subprocess.CompletedProcess[str]:
    """Render the chart with more arguments."""
    fixed = ("-n", NAMESPACE, "--kube-version", KUBERNETES)
    return helm("template", "try", str(chart), *fixed, *arguments)


@functools.cache
def rendered(case: str) -> tuple[Manifest, ...]:
    """Return the objects of a values file in `values`."""
    values = str(VALUES / f"{case}.yaml")
    done = template("-f", values, "--api-versions", "monitoring.coreos.com/v1")
    assert done.returncode == 0, done.stderr
    return tuple(filter(None, yaml.safe_load_all(done.stdout)))


def of_kind(case: str, kind: str) -> list[Manifest]:
    """Return the rendered objects of a kind."""
    return [each for each in rendered(case) if each["kind"] == kind]


def deployment(case: str) -> Manifest:
    """Return the one Deployment."""
    (found,) = of_kind(case, "Deployment")
    return found


def container(case: str) -> Manifest:
    """Return the operator's container."""
    (found,) = deployment(case)["spec"]["template"]["spec"]["containers"]
    return dict(found)


def settings(case: str) -> Settings:
    """Return the settings that the operator reads of its variables."""
    return Settings.from_environment(
        {each["name"]: each["value"] for each in container(case)["env"] if "value" in each}
    )
