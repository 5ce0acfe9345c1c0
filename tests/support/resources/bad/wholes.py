"""What users get wrong about the resource as a whole."""

from support.resources.bad.rows import (
    MISSING,
    NOT_A_CHOICE,
    NOT_BOOLEAN,
    NOT_INTEGER,
    TOO_SMALL,
    UNKNOWN,
    bad,
)
from support.resources.small_resource import REMOVE, SOLR

WHOLE = [
    bad("misspelt part", {"spec.cleanUp": "Always"}, "spec.cleanUp", UNKNOWN),
    bad("cleanup as a truth", {"spec.cleanup": True}, "spec.cleanup", ("string", "must be")),
    bad("cleanup in small letters", {"spec.cleanup": "always"}, "spec.cleanup", NOT_A_CHOICE),
    bad("suspend in words", {"spec.suspend": "yes"}, "spec.suspend", NOT_BOOLEAN),
    bad("suspend as a number", {"spec.suspend": 1}, "spec.suspend", NOT_BOOLEAN),
    bad(
        "time to live in days",
        {"spec.ttlSecondsAfterFinished": "1d"},
        "spec.ttlSecondsAfterFinished",
        NOT_INTEGER,
    ),
    bad(
        "deadline of 0",
        {"spec.deadlines": {"indexingSeconds": 0}},
        "spec.deadlines.indexingSeconds",
        TOO_SMALL,
    ),
    bad("spec left out", {"spec": REMOVE}, "spec", MISSING),
    bad(
        "long name",
        {"metadata.name": "a" * 41},
        "metadata.name",
        "metadata.name must have at most 40 characters",
    ),
    bad(
        "long name with a provided ZooKeeper",
        {"metadata.name": "a" * 33, f"{SOLR}.zookeeper": {"mode": "Provided"}},
        "metadata.name",
        "metadata.name must have at most 32 characters when target.solrCloud.zookeeper.mode is",
    ),
    bad(
        "name that starts with a digit",
        {"metadata.name": "3-nodes"},
        "metadata.name",
        "metadata.name must start with a letter and must not contain dots",
    ),
    bad(
        "name with a dot",
        {"metadata.name": "solr.bench"},
        "metadata.name",
        "metadata.name must start with a letter and must not contain dots",
    ),
    bad(
        "name with a space",
        {"metadata.name": "my bench"},
        "metadata.name",
        ("RFC 1123", "metadata.name must start with a letter"),
    ),
    bad(
        "name in capitals",
        {"metadata.name": "Bench"},
        "metadata.name",
        ("RFC 1123", "metadata.name must start with a letter"),
    ),
]
