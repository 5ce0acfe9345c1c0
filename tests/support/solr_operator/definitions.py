"""The CustomResourceDefinitions: the real ones where they are at hand, else small ones of ours.

The real ones are megabytes of other projects' files and not part of this repository; the double
refuses with them exactly what the real operators' API refuses.
"""

import os
from pathlib import Path
from typing import Any

import yaml

from support.solr_operator.minimal_definitions import build_minimal_definitions

Body = dict[str, Any]

VARIABLE = "SOLRBENCH_CRDS"
"""Names a folder of real definitions, as for the contract tests."""

SOLR_VERSIONS = ("v0.9.1", "v0.10.0-prerelease")
ZOOKEEPER_FILE = "zookeeperclusters-v0.2.15.yaml"


def real_folder() -> Path | None:
    """Return the folder of the real definitions, or None where there is none."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None


def load_definitions(version: str = SOLR_VERSIONS[-1]) -> list[Body]:
    """Return the definitions of SolrCloud, at a version of its operator, and ZookeeperCluster."""
    folder = real_folder()
    if folder is None:
        return build_minimal_definitions()
    files = (f"solrclouds-{version}.yaml", ZOOKEEPER_FILE)
    return [yaml.load((folder / file).read_text("utf-8"), yaml.CSafeLoader) for file in files]
