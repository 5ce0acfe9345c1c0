"""What users get wrong about companions."""

from support.resources.bad.rows import MISSING, NOT_STRING, TOO_MANY, bad, wrong

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
