"""What users get wrong about the resource as a whole."""

from support.resources.bad.rows import (
    MISSING,
    NOT_A_CHOICE,
    NOT_BOOLEAN,
    NOT_INTEGER,
    TOO_SMALL,
    UNKNOWN,
    bad,
    wrong,
)
from support.resources.small_resource import REMOVE, SOLR

WHOLE = [
    wrong("misspelt part", "spec.cleanUp", "Always", UNKNOWN),
    wrong("cleanup as a truth", "spec.cleanup", True, ("string", "must be")),
    wrong("cleanup in small letters", "spec.cleanup", "always", NOT_A_CHOICE),
    wrong("suspend in words", "spec.suspend", "yes", NOT_BOOLEAN),
    wrong("suspend as a number", "spec.suspend", 1, NOT_BOOLEAN),
    wrong("time to live in days", "spec.ttlSecondsAfterFinished", "1d", NOT_INTEGER),
    wrong("deadline of 0", "spec.deadlines.indexingSeconds", 0, TOO_SMALL),
    wrong("spec left out", "spec", REMOVE, MISSING),
    wrong("long name", "metadata.name", "a" * 41, "metadata.name must have at most 40 characters"),
    bad(
        "long name with a provided ZooKeeper",
        {"metadata.name": "a" * 33, f"{SOLR}.zookeeper": {"mode": "Provided"}},
        "metadata.name",
        "metadata.name must have at most 32 characters when target.solrCloud.zookeeper.mode is",
    ),
    wrong(
        "name that starts with a digit",
        "metadata.name",
        "3-nodes",
        "metadata.name must start with a letter and must not contain dots",
    ),
    wrong(
        "name with a dot",
        "metadata.name",
        "solr.bench",
        "metadata.name must start with a letter and must not contain dots",
    ),
    wrong(
        "name with a space",
        "metadata.name",
        "my bench",
        ("RFC 1123", "metadata.name must start with a letter"),
    ),
    wrong(
        "name in capitals",
        "metadata.name",
        "Bench",
        ("RFC 1123", "metadata.name must start with a letter"),
    ),
]
