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
CLAIM = f"{EXPORT}.persistentVolumeClaim"
VOLUME = {"claimName": "reports"}
BUCKET: dict[str, Any] = {
    "endpoint": "https://s3.example.org",
    "bucket": "reports",
    "credentialsSecret": {"name": "s3"},
}
SERVER = "must be http:// or https:// with a host and no path or user"
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
        wrong(f"export to the folder {path}", f"{CLAIM}.path", path, FOLDERS, {CLAIM: VOLUME})
        for path in ("../other", "a/../../b", "/etc", "a//b", ".hidden")
    ),
    *(
        wrong(f"export {name}", f"{EXPORT}.s3.{field}", value, message, {f"{EXPORT}.s3": BUCKET})
        for name, field, value, message in (
            ("to a prefix with ..", "prefix", "a/..", FOLDERS),
            ("to a server with a user in its URL", "endpoint", "https://me@example.org", SERVER),
            ("to a bucket in capitals", "bucket", "Reports", "must be the name of a bucket"),
            ("with a key in the resource", "secretAccessKey", "abc", UNKNOWN),
        )
    ),
    bad(
        "export without credentials",
        {EXPORT: {"s3": {key: BUCKET[key] for key in ("endpoint", "bucket")}}},
        f"{EXPORT}.s3.credentialsSecret",
        MISSING,
    ),
    wrong("export that keeps none", f"{EXPORT}.keep", 0, TOO_SMALL, {CLAIM: VOLUME}),
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
