"""Field types used all over the resource, each with the bounds that the CRD repeats."""

from typing import Annotated

from pydantic import Field, StringConstraints

from solrbench.api.quantities import CPU_PATTERN, HEAP_PATTERN, MEMORY_PATTERN

ObjectName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"),
]
"""Name of another object in the benchmark's namespace."""

ShortName = Annotated[
    str, StringConstraints(min_length=1, max_length=40, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
]
"""A name given by the user and used as a label value: steps, requests."""

Heap = Annotated[str, StringConstraints(max_length=8, pattern=HEAP_PATTERN)]
Memory = Annotated[str, StringConstraints(max_length=16, pattern=MEMORY_PATTERN)]
Cpu = Annotated[str, StringConstraints(max_length=10, pattern=CPU_PATTERN)]
FieldName = Annotated[
    str, StringConstraints(min_length=1, max_length=128, pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$")
]
"""Name of a field in the Solr schema."""

FileName = Annotated[
    str, StringConstraints(min_length=1, max_length=253, pattern=r"^[-._a-zA-Z0-9]+$")
]
"""Key of a ConfigMap."""

FilePath = Annotated[
    str, StringConstraints(min_length=1, max_length=512, pattern=r"^[^/\x00][^\x00]*$")
]
"""Path inside a volume, relative to its root."""

Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]
Milliseconds = Annotated[int, Field(ge=0, le=3_600_000)]
Seconds = Annotated[int, Field(ge=1, le=30 * 86_400)]
Labels = Annotated[
    dict[
        Annotated[str, StringConstraints(max_length=317)],
        Annotated[str, StringConstraints(max_length=63)],
    ],
    Field(max_length=32),
]
