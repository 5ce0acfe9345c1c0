"""Config sets as the zip that Solr's upload takes."""

import base64
import io
import zipfile
from importlib import resources
from typing import Any

from solrbench.errors import PermanentError
from solrbench.reasons.target import TargetReason

ARCHIVE_KEY = "configset.zip"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same files give the same bytes."""


def built_in_archive() -> bytes:
    """Return the config set that comes with solrbench."""
    folder = resources.files("solrbench.solr") / "configset"
    return _zip({entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()})


def archive_of(config_map: dict[str, Any]) -> bytes:
    """Return the zip of a ConfigMap's files, or the zip that the ConfigMap holds.

    Raises:
        PermanentError: if the ConfigMap holds no config set.

    """
    texts: dict[str, str] = config_map.get("data") or {}
    files = {key: text.encode() for key, text in texts.items()}
    for key, encoded in (config_map.get("binaryData") or {}).items():
        files[key] = base64.b64decode(encoded)
    if ARCHIVE_KEY in files:
        return files[ARCHIVE_KEY]
    if "solrconfig.xml" not in files:
        name = config_map["metadata"]["name"]
        raise PermanentError(
            TargetReason.INVALID_CONFIG_SET,
            f"ConfigMap {name} must hold solrconfig.xml and a schema, or {ARCHIVE_KEY}",
        )
    return _zip(files)


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), files[name])
    return buffer.getvalue()
