"""Config sets as the zip that Solr's upload takes, and settings as properties of its Config API.

The editable names are those of Solr's `EditableSolrConfigAttributes.json` (9.10).
"""

import base64
import io
import zipfile
from importlib import resources
from typing import Any

from solrbench.api.rules import plain
from solrbench.api.v1alpha1.collection import Collection
from solrbench.errors import PermanentError
from solrbench.reasons.target import TargetReason

ARCHIVE_KEY = "configset.zip"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip can have: the same files give the same bytes."""


def built_in_archive() -> bytes:
    """Return the config set that comes with solrbench."""
    folder = resources.files("solrbench.solr") / "configset"
    files = (entry for entry in folder.iterdir() if entry.is_file())
    return zip_files({file.name: file.read_bytes() for file in files})


def archive_of(config_map: dict[str, Any]) -> bytes:
    """Return the zip of a ConfigMap's files, or the zip that the ConfigMap holds.

    It raises `PermanentError` if the ConfigMap holds no config set.
    """
    texts: dict[str, str] = config_map.get("data") or {}
    files = {key: text.encode() for key, text in texts.items()}
    for key, encoded in (config_map.get("binaryData") or {}).items():
        files[key] = base64.b64decode(encoded)
    if ARCHIVE_KEY in files:
        return files[ARCHIVE_KEY]
    if "solrconfig.xml" not in files:
        name = config_map["metadata"]["name"]
        text = f"ConfigMap {name} must hold solrconfig.xml and a schema, or {ARCHIVE_KEY}"
        raise PermanentError(TargetReason.INVALID_CONFIG_SET, text)
    return zip_files(files)


def zip_files(files: dict[str, bytes]) -> bytes:
    """Return files by their paths as a zip; equal files give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), files[name])
    return buffer.getvalue()


_QUERY_SETTINGS = (
    *("queryResultWindowSize", "queryResultMaxDocsCached", "enableLazyFieldLoading"),
    *("useFilterForSortedQuery", "boolToFilterOptimizer", "maxBooleanClauses"),
)
_OWN_NAMES = {
    "className": "class",
    "maxRamMegabytes": "maxRamMB",
    "maxDocuments": "maxDocs",
    "maxMilliseconds": "maxTime",
    "boolToFilterOptimizer": "boolTofilterOptimizer",
}
"""What Solr calls otherwise than the resource."""


def config_properties(collection: Collection) -> dict[str, Any]:
    """Return the properties to set, by their full names, such as `query.filterCache.size`."""
    given = plain(collection)
    sections = {"query": {name: given[name] for name in _QUERY_SETTINGS if name in given}}
    for name, cache in given["caches"].items():
        is_off = cache.get("enabled") is False  # then nothing else of it counts
        sections[f"query.{name}Cache"] = {"enabled": False} if is_off else cache
    for name in ("autoCommit", "autoSoftCommit"):
        sections[f"updateHandler.{name}"] = given.get(name, {})
    if "autoCommit" in given:
        # Solr's default is true: each hard commit would empty the caches.
        sections["updateHandler.autoCommit"] |= {"openSearcher": False}
    return {
        f"{section}.{_OWN_NAMES.get(name, name)}": value
        for section, settings in sections.items()
        for name, value in settings.items()
    }


MAX_PROPERTY_NAME = 256
"""Characters of a property: names of Solr's have up to 50, and long ones in a nested object of many
keys would take megabytes for each kilobyte of a response."""


def flatten_properties(nested: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested properties, as `/config` and an overlay have them, by their full names.

    A name of more than `MAX_PROPERTY_NAME` characters is none of Solr's, and is left out.
    """
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        name = f"{prefix}{key}"
        if len(name) > MAX_PROPERTY_NAME:
            continue
        flat |= flatten_properties(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat


def differences(config: dict[str, Any], wanted: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the properties that are not as wanted: name to (wanted, found)."""
    shown, differing = flatten_properties(config), dict[str, tuple[Any, Any]]()
    for name, value in wanted.items():
        found = shown.get(name)
        # A cache that is switched off is left out of the response.
        if found is None and name.endswith("Cache.enabled"):
            found = False
        # Solr returns numbers and switches sometimes as text: `512`, `true`.
        if str(found).lower() != str(value).lower():
            differing[name] = value, found
    return differing
