"""What users get wrong about the resource as a whole, its companions and its comparison."""

from support.resources.bad.rows import (
    MISSING,
    NOT_A_CHOICE,
    NOT_BOOLEAN,
    NOT_INTEGER,
    NOT_STRING,
    TOO_LARGE,
    TOO_MANY,
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
        "metadata.name must be a-z, 0-9 and '-' within, and start with a letter",
    ),
    wrong(
        "name with a dot",
        "metadata.name",
        "solr.bench",
        "metadata.name must be a-z, 0-9 and '-' within, and start with a letter",
    ),
    wrong(
        "name with a space", "metadata.name", "my bench", ("RFC 1123", "metadata.name must be a-z")
    ),
    wrong("name in capitals", "metadata.name", "Bench", ("RFC 1123", "metadata.name must be a-z")),
]

NAMES = "values must have names of capitals, digits and '_', such as WORKERS"
TAKEN = "values must not name what the operator sets"
FIRST = "spec.companions[0]"


def _with(**fields: object) -> dict[str, object]:
    return {"spec.companions": [{"configMap": {"name": "a"}} | fields]}


COMPANIONS = [
    bad("no manifests", {"spec.companions": [{}]}, f"{FIRST}.configMap", MISSING),
    bad(
        "manifests in capitals",
        {"spec.companions": [{"configMap": {"name": "A"}}]},
        f"{FIRST}.configMap.name",
        "must be the name of an object",
    ),
    wrong("many companions", "spec.companions", [{"configMap": {"name": "a"}}] * 9, TOO_MANY),
    bad("small value", _with(values={"workers": "1"}), FIRST, NAMES),
    bad("value of the operator's", _with(values={"SOLR_URL": "x"}), FIRST, TAKEN),
    bad("value of a Service's", _with(values={"SERVICE_A": "x"}), FIRST, TAKEN),
    bad("number as value", _with(values={"A": 1}), f"{FIRST}.values.A", NOT_STRING),
]

BASELINE = "spec.comparison.baseline"

COMPARISONS = [
    wrong("baseline of nothing", BASELINE, {}, "exactly one of benchmark, report"),
    wrong(
        "two baselines",
        BASELINE,
        {"benchmark": {"name": "a"}, "report": {"configMap": {"name": "b"}}},
        "exactly one of benchmark, report",
    ),
    wrong(
        "baseline is itself",
        f"{BASELINE}.benchmark",
        {"name": "base"},
        "must be another benchmark than this one",
    ),
    bad(
        "baseline in another namespace",
        {BASELINE: {"benchmark": {"name": "a", "namespace": "b"}}},
        f"{BASELINE}.benchmark.namespace",
        UNKNOWN,
    ),
    wrong(
        "no effect at all",
        "spec.comparison",
        {"smallestEffectPercent": 0},
        "smallestEffectPercent must be at least 0.1",
    ),
    wrong("more than all", "spec.comparison.smallestEffectPercent", 101, TOO_LARGE),
    wrong("unknown figure", "spec.comparison.primary", "P42", NOT_A_CHOICE),
]
