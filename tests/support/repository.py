"""Files of the repository."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOWS = [
    *sorted((ROOT / ".github/workflows").glob("*.yaml")),
    ROOT / "examples/ci/github-actions.yaml",
]
