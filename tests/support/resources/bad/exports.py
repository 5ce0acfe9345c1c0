"""Exports of results and diagnostics, bad ones and good ones."""

from typing import Any

from support.resources.bad.rows import (
    MISSING,
    TOO_LARGE,
    TOO_SMALL,
    UNKNOWN,
    bad,
    bad_in_one_way,
    wrong,
)
from support.resources.small_resource import Changes

EXPORT = "spec.results.export"
VOLUME = {"claimName": "reports"}
BUCKET: dict[str, Any] = {
    "endpoint": "https://s3.example.org",
    "bucket": "reports",
    "credentialsSecret": {"name": "s3"},
}
FOLDERS = "must be folders of letters, digits"

EXPORTS = [
    wrong("export to nowhere", EXPORT, {}, "exactly one of persistentVolumeClaim, s3"),
    wrong(
        "export to two places",
        EXPORT,
        {"persistentVolumeClaim": VOLUME, "s3": BUCKET},
        "exactly one of persistentVolumeClaim, s3",
    ),
    *(
        bad(
            f"export to the folder {path}",
            {EXPORT: {"persistentVolumeClaim": VOLUME | {"path": path}}},
            f"{EXPORT}.persistentVolumeClaim.path",
            FOLDERS,
        )
        for path in ("../other", "a/../../b", "/etc", "a//b", ".hidden")
    ),
    bad(
        "export to a prefix with ..",
        {EXPORT: {"s3": BUCKET | {"prefix": "a/.."}}},
        f"{EXPORT}.s3.prefix",
        FOLDERS,
    ),
    bad(
        "export to a server with a user in its URL",
        {EXPORT: {"s3": BUCKET | {"endpoint": "https://me:pass@s3.example.org"}}},
        f"{EXPORT}.s3.endpoint",
        "must be http:// or https:// with a host and no path or user",
    ),
    bad(
        "export to a bucket in capitals",
        {EXPORT: {"s3": BUCKET | {"bucket": "Reports"}}},
        f"{EXPORT}.s3.bucket",
        "must be the name of a bucket",
    ),
    bad(
        "export with a key in the resource",
        {EXPORT: {"s3": BUCKET | {"secretAccessKey": "abc"}}},
        f"{EXPORT}.s3.secretAccessKey",
        UNKNOWN,
    ),
    bad(
        "export without credentials",
        {EXPORT: {"s3": {key: BUCKET[key] for key in ("endpoint", "bucket")}}},
        f"{EXPORT}.s3.credentialsSecret",
        MISSING,
    ),
    bad(
        "export that keeps none",
        {EXPORT: {"persistentVolumeClaim": VOLUME, "keep": 0}},
        f"{EXPORT}.keep",
        TOO_SMALL,
    ),
    bad(
        "thread dumps of a repeat that never comes",
        {"spec.diagnostics": {"repeat": 2}},
        "spec",
        "diagnostics.repeat must not be greater than the number of load.repeats",
    ),
    wrong("eleven thread dumps", "spec.diagnostics.threadDumps.count", 11, TOO_LARGE),
    *bad_in_one_way(
        "spec",
        "diagnostics.gcLog and diagnostics.flightRecording are taken in Solr's pods",
        {
            "GC logs of pods without an agent": {"spec.diagnostics": {"gcLog": True}},
            "recordings of pods without an agent": {"spec.diagnostics": {"flightRecording": {}}},
        },
    ),
    bad(
        "a recording without an end",
        {
            "spec.diagnostics": {"flightRecording": {"durationSeconds": 301}},
            "spec.load.telemetry": {"collect": "ServersAndPods"},
        },
        "spec.diagnostics.flightRecording.durationSeconds",
        TOO_LARGE,
    ),
]

GOOD_EXPORTS: dict[str, Changes] = {
    "GC logs alone": {
        "spec.diagnostics": {"gcLog": True, "threadDumps": {"count": 0}},
        "spec.load.telemetry": {"collect": "ServersAndPods"},
    },
    "recordings alone": {
        "spec.diagnostics": {"flightRecording": {}, "threadDumps": {"count": 0}},
        "spec.load.telemetry": {"collect": "ServersAndPods"},
    },
    "thread dumps of the last repeat": {
        "spec.diagnostics": {"repeat": 3},
        "spec.load.repeats": {"count": 3},
    },
    "export to a volume's root": {
        EXPORT: {"persistentVolumeClaim": VOLUME | {"path": ""}, "keep": 30}
    },
    "export to a bucket": {
        EXPORT: {
            "s3": BUCKET
            | {
                "endpoint": "https://[2001:db8::1]:9000/",
                "prefix": "team_a/v1.2",
                "region": "eu-central-1",
                "tls": {"caConfigMap": {"name": "authorities"}},
            }
        }
    },
}
