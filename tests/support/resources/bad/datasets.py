"""What users get wrong about documents."""

from typing import Any

from support.resources.bad.rows import (
    NOT_A_CHOICE,
    NOT_INTEGER,
    NOT_LIST,
    TOO_FEW,
    TOO_SMALL,
    bad,
    bad_in_one_way,
    wrong,
)
from support.resources.small_resource import SOLR, Changes, create

URL = "must start with http:// or https:// and a host, and must not contain spaces"

HTTP = "spec.dataset.http"
DOWNLOAD = {"spec.dataset": {"http": {"urls": ["http://example.org/a.json"]}}}
CONFIG_MAP = {"configMap": {"name": "a", "keys": ["a.json"]}}

ON_CLAIM = {"name": "nightly", "claimName": "backups"}
ON_NODES = {"name": "nightly", "location": "/backups"}


def backup(source: dict[str, Any], target: Changes | None = None, **dataset: Any) -> Changes:
    """Return the changes to a backup, by default restored by nodes that are made."""
    return {
        f"{SOLR}.provisioner": "StatefulSet",
        "spec.dataset": {"backup": source, **dataset},
        "spec.workload.queries": {"configMap": {"name": "queries"}},
    } | (target or {})


GOOD_DATA = {
    "backup on a claim": backup(ON_CLAIM, expectedDocuments=5, idField="key"),
    "backup point in a folder of a claim": backup(ON_CLAIM | {"location": "2026", "backupId": 0}),
    "backup on existing nodes": backup(ON_NODES | {"repository": "s3"}, create()),
}
"""Backups that may be restored."""

PLACE = "must set claimName without repository, or location"
UNSENT = "backup must go without format, firstDocuments, cleaning and indexing"
RESTORER = "dataset.backup must have claimName with provisioner StatefulSet, and location alone"

DATA = [
    wrong("no dataset", "spec.dataset", {}, "must set exactly one of generator"),
    bad(
        "two datasets",
        {"spec.dataset.http": {"urls": ["http://example.org/a.json"]}},
        "spec.dataset",
        "must set exactly one of generator, http, persistentVolumeClaim, configMap, backup",
    ),
    wrong("no documents", "spec.dataset.generator.documents", 0, TOO_SMALL),
    wrong("documents with a unit", "spec.dataset.generator.documents", "100k", NOT_INTEGER),
    *(
        wrong(f"URL {name}", f"{HTTP}.urls.0", url, URL, DOWNLOAD)
        for name, url in (
            ("without scheme", "example.org/books.json"),
            ("of a file", "file:///books.json"),
            ("with a space", "http://example.org/my books.json"),
        )
    ),
    wrong("no URL", f"{HTTP}.urls", [], TOO_FEW, DOWNLOAD),
    wrong("one URL instead of a list", f"{HTTP}.urls", "http://example.org/a", NOT_LIST, DOWNLOAD),
    *[
        bad(
            name,
            {"spec.dataset": {"http": {"urls": ["http://example.org/a.json"], **fields}}},
            f"{HTTP}{place}",
            message,
        )
        for name, fields, place, message in (
            ("digest that is none", {"sha256": ["z" * 64]}, ".sha256[0]", "must be a SHA-256"),
            (
                "fewer digests than files",
                {"sha256": ["0" * 64] * 2},
                "",
                "sha256 must have one digest for each of urls, in their order",
            ),
            (
                "two kinds of credentials",
                {"auth": {"basicSecret": {"name": "a"}, "bearerSecret": {"name": "a"}}},
                ".auth",
                "must set exactly one of basicSecret, bearerSecret",
            ),
            (
                "no certificates",
                {"tls": {}},
                ".tls",
                "must set exactly one of caConfigMap, caSecret",
            ),
            (
                "proxy with a password",
                {"proxyUrl": "http://me:secret@proxy:3128"},
                ".proxyUrl",
                "must be the URL of an HTTP proxy without user and path",
            ),
            ("files of no size", {"maxGibibytes": 0}, ".maxGibibytes", TOO_SMALL),
        )
    ],
    bad(
        "absolute path on a volume",
        {"spec.dataset": {"persistentVolumeClaim": {"claimName": "c", "paths": ["/a.json"]}}},
        "spec.dataset.persistentVolumeClaim.paths[0]",
        "must be a path inside the volume that does not start with '/'",
    ),
    bad(
        "claim in capitals",
        {"spec.dataset": {"persistentVolumeClaim": {"claimName": "Books", "paths": ["a"]}}},
        "spec.dataset.persistentVolumeClaim.claimName",
        "must be the name of an object",
    ),
    bad(
        "key with a slash",
        {"spec.dataset": {"configMap": {"name": "a", "keys": ["folder/a.json"]}}},
        "spec.dataset.configMap.keys[0]",
        "must be a key of a ConfigMap",
    ),
    wrong("format in small letters", "spec.dataset.format", "json", NOT_A_CHOICE),
    bad(
        "cleaning of generated documents",
        {"spec.dataset.cleaning": {"markup": "Remove"}},
        "spec.dataset",
        "cleaning must not go with generator",
    ),
    bad(
        "cleaning by a name that is not known",
        {"spec.dataset": CONFIG_MAP | {"cleaning": {"invalidBytes": "Ignore"}}},
        "spec.dataset.cleaning.invalidBytes",
        NOT_A_CHOICE,
    ),
    bad(
        "more first documents than generated ones",
        {"spec.dataset.firstDocuments": 1001},
        "spec.dataset",
        "firstDocuments must be at most generator.documents",
    ),
    wrong(
        "more expected documents than first ones",
        "spec.dataset",
        {**CONFIG_MAP, "firstDocuments": 10, "expectedDocuments": 11},
        "expectedDocuments must be at most firstDocuments",
    ),
    wrong("no first documents", "spec.dataset.firstDocuments", 0, TOO_SMALL),
    bad("backup nowhere", backup({"name": "nightly"}), "spec.dataset.backup", PLACE),
    bad(
        "backup on a claim and in a repository",
        backup(ON_CLAIM | {"repository": "s3"}),
        "spec.dataset.backup",
        PLACE,
    ),
    *bad_in_one_way(
        "spec.dataset",
        UNSENT,
        {
            "format of a backup": backup(ON_CLAIM, format="JSON"),
            "part of a backup": backup(ON_CLAIM, firstDocuments=5),
            "cleaning of a backup": backup(ON_CLAIM, cleaning={"markup": "Remove"}),
            "index pods of a backup": backup(ON_CLAIM, indexing={"pods": 2}),
            "batches of a backup": backup(ON_CLAIM, indexing={"prepared": True}),
            "segments of a backup": backup(ON_CLAIM, indexing={"maxSegments": 1}),
        },
    ),
    *bad_in_one_way(
        "spec",
        RESTORER,
        {
            "backup under the Solr Operator": backup(
                ON_CLAIM, {f"{SOLR}.provisioner": "SolrOperator"}
            ),
            "backup on nodes that are made": backup(ON_NODES),
            "claim of existing nodes": backup(ON_CLAIM, create()),
        },
    ),
    wrong("negative retries", "spec.dataset.indexing.batchRetries", -1, TOO_SMALL),
]
