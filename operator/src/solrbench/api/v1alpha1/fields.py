"""Field types used all over the resource, each with the bounds that the CRD repeats.

What has no seed of its own gets that of the spec.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, Strict, StringConstraints

from solrbench.api.quantities import CPU_PATTERN, HEAP_PATTERN, MEMORY_PATTERN
from solrbench.api.rules import Matches, Model, Rule

Int = Annotated[int, Strict()]
"""A whole number; text that looks like one is rejected, as the API server does."""

Bool = Annotated[bool, Strict()]
"""`true` or `false`; words and numbers that mean the same are rejected."""

ObjectName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=253),
    Matches(
        r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?",
        "must be the name of an object: a-z, 0-9, '-' and '.', such as my-data",
    ),
]
"""Name of another object in the benchmark's namespace."""


class ObjectReference(Model):
    """Another object in the benchmark's namespace."""

    name: ObjectName
    """`name` is the name of the object."""


ShortName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=40),
    Matches(
        r"[a-z0-9]([-a-z0-9]*[a-z0-9])?",
        "must be lower-case letters, digits and '-', such as ten-users",
    ),
]
"""A name given by the user and used as a label value: steps, requests."""

Heap = Annotated[
    str,
    StringConstraints(min_length=1, max_length=8),
    Matches(HEAP_PATTERN, "must be a whole number of Mi or Gi, such as 512Mi or 2Gi"),
]

Memory = Annotated[
    str,
    StringConstraints(min_length=1, max_length=16),
    Matches(MEMORY_PATTERN, "must be a whole number of bytes, such as 512Mi, 4Gi or 10G"),
]
"""Bytes as a Kubernetes quantity."""

Cpu = Annotated[
    str,
    StringConstraints(min_length=1, max_length=10),
    Matches(CPU_PATTERN, "must be cores or millicores, such as '2', '0.5' or 500m"),
]
"""Cores as a Kubernetes quantity."""

ImageTag = Annotated[
    str,
    StringConstraints(min_length=1, max_length=128),
    Matches(
        r"[A-Za-z0-9_][A-Za-z0-9_.-]*",
        "must be the tag of an image: letters, digits, '_', '.' and '-', such as 9.10.1",
    ),
]

ImageRepository = Annotated[
    str,
    StringConstraints(min_length=1, max_length=255),
    Matches(
        r"[a-z0-9]([-a-z0-9._]*(:[0-9]{1,5}/)?[-a-z0-9._/]*[a-z0-9])?",
        "must be a repository without tag, such as solr or registry.example.org/search/solr",
    ),
]
"""Repository of a container image, with the registry's host where it is not the default one."""

PORT = r"(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})"
"""Expression for the port of a URL, 1 to 65535."""

HOST_AND_PORT = rf"([^/?#\s:@\[\]]+|\[[0-9A-Fa-f:.]+\])(:{PORT})?"
"""Expression for the host of a URL, and for its port if there is one; there is no user."""

Url = Annotated[
    str,
    StringConstraints(min_length=8, max_length=2048),
    Matches(
        r"https?://[^/?#\s]+[^\s]*",
        "must start with http:// or https:// and a host, and must not contain spaces",
    ),
]

FieldName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=128),
    Matches(
        r"[A-Za-z_][A-Za-z0-9_.-]*",
        "must be the name of a field: letters, digits, '_', '.' and '-', such as category_s",
    ),
]

FileName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=253),
    Matches(
        r"[-.\w]+",
        "must be a key of a ConfigMap or Secret: letters, digits, '-', '_' and '.', such as"
        " queries.txt",
    ),
]


class CertificateKey(ObjectReference):
    """One key of a ConfigMap or Secret with certificates."""

    key: FileName = "ca.crt"
    """`key` is the key that holds the certificates."""


FilePath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=512),
    Matches(
        r"[^/\x00][^\x00]*",
        "must be a path inside the volume that does not start with '/', such as books/part-1.json",
    ),
]
"""Path inside a volume, relative to its root."""

Handler = Annotated[
    str,
    StringConstraints(min_length=2, max_length=128),
    # No segment is `..`: a request may not leave the collection, for Solr's admin API for example.
    Matches(
        r"(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+/?",
        "must be the path of a request handler, such as /select",
    ),
]

Seed = Annotated[Int, Field(ge=0, le=2**31 - 1)]
Milliseconds = Annotated[Int, Field(ge=0, le=3_600_000)]
Seconds = Annotated[Int, Field(ge=1, le=30 * 86_400)]
Rate = Annotated[float, Strict(), Field(ge=0, le=1_000_000, allow_inf_nan=False)]
"""Events per second; its lower bound is a rule of the model that holds it (see `at_least`)."""

Percent = Annotated[float, Strict(), Field(ge=0, le=100, allow_inf_nan=False)]
"""A share in per cent, with decimals: 0.5 is five in a thousand."""

Percentile = Annotated[float, Strict(), Field(ge=1, le=99.999, allow_inf_nan=False)]

ZipfExponent = Annotated[float, Strict(), Field(ge=0, le=3, allow_inf_nan=False)]
"""Exponent of Zipf's law; its lower bound is a rule of the model that holds it, as with `Rate`."""

LABEL_NAME = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
LABEL_KEY = f"([a-z0-9]([-a-z0-9.]{{0,251}}[a-z0-9])?/)?{LABEL_NAME}"
"""Patterns of values and keys of labels (Kubernetes documentation, "Labels and Selectors")."""

# The key may have a prefix of 253 characters, a slash and a name of 63.
Labels = Annotated[
    dict[
        Annotated[str, StringConstraints(max_length=317)],
        Annotated[str, StringConstraints(max_length=63)],
    ],
    Field(max_length=32),
]
"""Labels of a Kubernetes node."""

Count = Annotated[int, Field(ge=0, le=2**53)]
"""A number that was counted; JSON keeps whole numbers exact up to this bound."""

Measure = Annotated[float, Field(ge=0, le=10**15)]

Difference = Annotated[float, Field(ge=-(10**15), le=10**15)]
"""A number that was measured and may be negative."""

Text = Annotated[str, StringConstraints(max_length=1024)]
"""Words of the status, bounded far above what is ever written."""


def at_least(field: str, least: float, note: str = "") -> Rule:
    """Return the rule that a number (camelCase name), if set, is at least `least`, no integer.

    The API server cuts the bound of a schema to a whole number before it compares whole numbers
    with it, so that 0 would pass a `minimum` of 0.5. The message ends with the note.
    """
    return Rule(
        cel=f"!has(self.{field}) || self.{field} >= {least}",
        message=f"{field} must be at least {least}{note}",
    )


DEFAULT_SEED = 1

_SEEDED = {
    ("dataset", "generator"),
    ("workload", "queries"),
    ("workload", "warmUpQueries"),
    ("mix", "queries"),
    ("updates", "generated"),
    ("transaction", "inputs"),
}
"""Objects with a seed: their field and that of the object, or list, around them."""


# A factory, so that the schema has no default: the API server would fill it in, and the seed of the
# spec would no longer reach the part.
SEED_OF_SPEC: int = Field(default_factory=lambda: DEFAULT_SEED)


def pass_seed_on(spec: Any) -> Any:
    """Return a raw spec in which every part that draws at random has a seed.

    What is no mapping stays as it is, for validation to reject.
    """
    seed = spec.get("seed", DEFAULT_SEED) if isinstance(spec, Mapping) else DEFAULT_SEED
    filled = _fill("", "", spec, seed)
    workload = filled.get("workload") if isinstance(filled, dict) else None
    # A locustfile draws nothing, and must not have a seed beside it.
    if isinstance(workload, dict) and "locustfile" not in workload:
        workload.setdefault("seed", seed)
    return filled


def _fill(parent: str, name: str, part: Any, seed: Any) -> Any:
    if isinstance(part, list):
        return [_fill(parent, name, item, seed) for item in part]
    if not isinstance(part, Mapping):
        return part
    filled = {key: _fill(name, key, value, seed) for key, value in part.items()}
    # What has a seed of its own keeps it.
    return {"seed": seed} | filled if (parent, name) in _SEEDED else filled
