"""Compare two images: image_files.py ARCHIVE ARCHIVE; 1 if a digest or a file differs.

The archives are OCI image layouts in a tar, as `docker buildx build --output type=oci` writes them.
"""

import hashlib
import json
import sys
import tarfile
from io import BytesIO
from pathlib import Path
from typing import Any

SHOWN = 50


class Archive:
    """The blobs of an OCI layout, by digest."""

    def __init__(self, path: Path) -> None:
        with tarfile.open(path) as archive:
            members = [each for each in archive.getmembers() if each.isfile()]
            self._files = {
                each.name.removeprefix("./"): file.read()
                for each in members
                if (file := archive.extractfile(each))
            }
        (self.manifest,) = json.loads(self._files["index.json"])["manifests"]

    def read(self, digest: str) -> bytes:
        """Return a blob."""
        return self._files["blobs/" + digest.replace(":", "/")]

    def layers(self) -> list[str]:
        """Return the digests of the layers, the base's first."""
        body: dict[str, Any] = json.loads(self.read(self.manifest["digest"]))
        return [layer["digest"] for layer in body["layers"]]


def entries(layer: bytes) -> dict[str, tuple[object, ...]]:
    """Return what makes each file of a layer what it is: kind, rights, owner, time, content."""
    found: dict[str, tuple[object, ...]] = {}
    with tarfile.open(fileobj=BytesIO(layer)) as archive:
        for each in archive:
            content = archive.extractfile(each) if each.isfile() else None
            digest = hashlib.sha256(content.read()).hexdigest() if content else each.linkname
            owner = (each.uid, each.gid, each.uname, each.gname)
            found[each.name] = (each.type, each.mode, owner, each.mtime, digest)
    return found


_PARTS = ("kind", "rights", "owner", "time", "content")


def differences(first: Archive, second: Archive) -> list[str]:
    """Return a line for each file, or digest, in which two images differ."""
    if first.manifest["digest"] == second.manifest["digest"]:
        return []
    found = [f"digests: {first.manifest['digest']}, {second.manifest['digest']}"]
    pairs = list(zip(first.layers(), second.layers(), strict=False))
    if len(first.layers()) != len(second.layers()):
        found.append(f"layers: {len(first.layers())}, {len(second.layers())}")
    for number, (one, other) in enumerate(pairs, 1):
        if one == other:
            continue
        files, others = entries(first.read(one)), entries(second.read(other))
        for name in sorted(files.keys() | others.keys()):
            if name not in files or name not in others:
                found.append(f"layer {number}: {name}: in one only")
            elif files[name] != others[name]:
                parts = zip(_PARTS, files[name], others[name], strict=True)
                changed = ", ".join(part for part, a, b in parts if a != b)
                found.append(f"layer {number}: {name}: {changed}")
        if not any(line.startswith(f"layer {number}:") for line in found):
            found.append(f"layer {number}: order or compression")
    return found if len(found) > 1 else [*found, "configuration, such as times of its history"]


if __name__ == "__main__":
    lines = differences(*(Archive(Path(name)) for name in sys.argv[1:3]))
    print("\n".join(lines[:SHOWN]) or "both images are equal")
    if len(lines) > SHOWN:
        print(f"and {len(lines) - SHOWN} more")
    sys.exit(bool(lines))
