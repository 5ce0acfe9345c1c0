"""`spec.workload.locustfile`: custom Locust users, run in the load workers."""

import re
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule
from solrbench.api.v1alpha1.fields import FileName, ObjectName
from solrbench.api.v1alpha1.seeds import DEFAULT_SEED

RESERVED_PREFIX = "SOLRBENCH_"
"""Prefix of the variables that the operator sets."""

_VARIABLE = "[A-Za-z_][A-Za-z0-9_]*"

ClassName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100),
    Matches(_VARIABLE, "must be the name of a class, such as CheckOutUser"),
]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Tags = Annotated[list[Tag], Field(min_length=1, max_length=32)]


class LocustfileConfigMap(Model):
    """A locustfile in a ConfigMap; its other keys are files beside it and can be imported."""

    name: ObjectName
    """`name` is the name of the ConfigMap in the benchmark's namespace."""
    key: FileName = "locustfile.py"
    """`key` is the key that holds the file."""


class Locustfile(Model):
    """Custom user classes, written for Locust."""

    config_map: LocustfileConfigMap
    """`configMap` holds the locustfile."""
    classes: Annotated[list[ClassName], Field(min_length=1, max_length=20)] | None = None
    """`classes` are the user classes to run; every one of the file that is not abstract when
    absent. Users are distributed over them by `weight` and `fixed_count`, as Locust does."""
    tags: Tags | None = None
    """`tags` limits the run to tasks with one of these tags."""
    exclude_tags: Tags | None = None
    """`excludeTags` leaves out tasks with one of these tags."""
    environment: Annotated[
        dict[
            Annotated[str, StringConstraints(max_length=128)],
            Annotated[str, StringConstraints(max_length=2048)],
        ],
        Field(max_length=32),
    ] = {}
    """`environment` are environment variables for the file. They are readable with the benchmark,
    so they are no place for passwords."""

    rules: ClassVar = (
        Rule(
            cel=(
                f"self.environment.all(name, name.matches(r'^{_VARIABLE}$')"
                f" && !name.startsWith('{RESERVED_PREFIX}'))"
            ),
            message=(
                "environment must have names of letters, digits and '_' that do not start with"
                f" {RESERVED_PREFIX}, such as BRANCH"
            ),
            is_satisfied=lambda locustfile: all(
                re.fullmatch(_VARIABLE, name, re.ASCII) and not name.startswith(RESERVED_PREFIX)
                for name in locustfile.environment
            ),
        ),
    )


LOCUSTFILE_RULE = Rule(
    cel=(
        "!has(self.locustfile) || (self.requestName == 'query' && self.handler == '/select'"
        " && self.method == 'GET' && self.parameters.size() == 0 && !has(self.expect)"
        " && (!has(self.seed) || self.seed == 1))"
    ),
    message=(
        "requestName, handler, method, parameters, expect and seed must be left out with"
        " locustfile, the file itself controls what is sent and checked"
    ),
    is_satisfied=lambda workload: (
        workload.locustfile is None
        or (
            workload.request_name == "query"
            and workload.handler == "/select"
            and workload.method == "GET"
            and not workload.parameters
            and workload.expect is None
            and workload.seed == DEFAULT_SEED
        )
    ),
)
"""For `Workload`: what belongs to queries alone."""

LOCUSTFILE_RULES = (
    Rule(
        cel="!has(self.workload.locustfile) || self.load.steps.all(s, has(s.users))",
        message=(
            "load.steps must set users, not requestsPerSecond, with workload.locustfile,"
            " a locustfile runs a closed loop and cannot hold an arrival rate"
        ),
        is_satisfied=lambda spec: (
            spec.workload.locustfile is None
            or all(step.users is not None for step in spec.load.steps)
        ),
    ),
    Rule(
        cel="!has(self.workload.locustfile) || self.load.steps.all(s,"
        " !has(s.thinkTime) && !has(s.pacingMilliseconds))",
        message=(
            "load.steps must not set thinkTime or pacingMilliseconds with workload.locustfile,"
            " its users have a wait_time"
        ),
        is_satisfied=lambda spec: (
            spec.workload.locustfile is None
            or all(
                step.think_time is None and step.pacing_milliseconds is None
                for step in spec.load.steps
            )
        ),
    ),
    Rule(
        cel=(
            "!has(self.workload.locustfile) || !has(self.target.existing)"
            " || (!has(self.target.existing.basicAuth) && !has(self.target.existing.tls))"
        ),
        message=(
            "workload.locustfile must not go with target.existing.basicAuth or tls, its code"
            " could read what the Secrets hold"
        ),
        is_satisfied=lambda spec: (
            spec.workload.locustfile is None
            or spec.target.existing is None
            or (spec.target.existing.basic_auth is None and spec.target.existing.tls is None)
        ),
    ),
)
"""Rules of `Spec`."""
