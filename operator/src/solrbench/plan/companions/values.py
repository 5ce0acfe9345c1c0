"""`$(NAME)` replaced in the texts of manifests.

The form is that of Kubernetes for the variables of a container; `$$(NAME)` stands for `$(NAME)`
itself, which Kubernetes then expands, or a program reads.
"""

import re
from collections.abc import Mapping
from typing import Any

from solrbench.api.v1alpha1.companions import NAME_PATTERN, SERVICE_PREFIX

_REFERENCE = re.compile(rf"(\$?)\$\(({NAME_PATTERN})\)")


def service_value(name: str) -> str:
    """Return the name in `$(NAME)` that stands for the host of a Service."""
    return SERVICE_PREFIX + name.upper().replace("-", "_")


def replace_values(body: Any, values: Mapping[str, str]) -> Any:
    """Return a body in which every text, keys apart, has its references replaced.

    Only names of capitals count, so that `$(date)` of a shell stays as it is. A value is not
    searched for references.

    Raises:
        ValueError: a name has no value

    """
    if isinstance(body, str):
        return _REFERENCE.sub(lambda found: _value(found, values), body)
    if isinstance(body, list):
        return [replace_values(each, values) for each in body]
    if isinstance(body, dict):
        return {key: replace_values(each, values) for key, each in body.items()}
    return body


def _value(found: re.Match[str], values: Mapping[str, str]) -> str:
    escaped, name = found.groups()
    if escaped:
        return found.group()[1:]
    if name not in values:
        raise ValueError(
            f"$({name}) has no value, there are {', '.join(sorted(values))}; correct the name, or"
            f" write $$({name}) for the text itself"
        )
    return values[name]
