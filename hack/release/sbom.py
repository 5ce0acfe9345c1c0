"""Print the libraries of a lock file as a CycloneDX document: sbom.py VERSION LOCKFILE.

The image has a list of its own, with the system's packages, which BuildKit makes. This one is for
those who install the wheel.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)


def components(lock: str) -> list[dict[str, Any]]:
    """Return one component for each pinned library, in the order of the file.

    The digests of its files are in the lock file: which one was installed depends on the platform.
    """
    found = []
    for pin in _PIN.finditer(lock):
        name, version = pin[1].lower().replace("_", "-"), pin[2]
        purl = f"pkg:pypi/{name}@{version}"
        found.append(
            {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
        )
    return found


def document(version: str, lock: str) -> dict[str, Any]:
    """Return the document; it has neither time nor serial number, so that equal input is equal."""
    own = f"pkg:pypi/solrbench@{version}"
    libraries = components(lock)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "solrbench",
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": libraries,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in libraries]}],
    }


if __name__ == "__main__":
    made = document(sys.argv[1], Path(sys.argv[2]).read_text("utf-8"))
    print(json.dumps(made, indent=2))
