"""Rules about what pods have by the operator, Kubernetes or the Solr Operator: it stays as it is.

A user's value is refused rather than dropped in silence.
"""

import re

from solrbench.api.rules import Rule

KEY_PATTERN = r"([a-z0-9][-a-z0-9.]{0,251}[a-z0-9]/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
"""Key of a label or annotation (Kubernetes documentation, "Labels and Selectors")."""

UNDISTURBED = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
}
"""Annotations of every pod: autoscalers must not move what is measured."""

LABELS = (
    "app.kubernetes.io/component",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/name",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "solr-cloud",
    "technology",
)
"""Labels by which pods are found."""

LABEL_PREFIXES = (
    "apps.kubernetes.io/",
    "batch.kubernetes.io/",
    "solrbench.io/",
    "statefulset.kubernetes.io/",
)

ANNOTATION_PREFIXES = (
    "batch.kubernetes.io/",
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "seccomp.security.alpha.kubernetes.io/",
    "solr.apache.org/",
    "solrbench.io/",
)
"""Among them the annotations that weaken the security of a container."""

TOOL_VARIABLES = ("JOB_COMPLETION_INDEX", "PATH", "PYTHONHOME", "PYTHONPATH", "USER")
"""Variables of index and load pods, by their Job or their image."""

SOLR_VARIABLES = (
    "GC_TUNE",
    "POD_HOSTNAME",
    "POD_IP",
    "POD_NAME",
    "POD_NAMESPACE",
    "SOLR_HEAP",
    "SOLR_HOME",
    "SOLR_HOST",
    "SOLR_JAVA_MEM",
    "SOLR_LOG_LEVEL",
    "SOLR_NODE_PORT",
    "SOLR_OPTS",
    "SOLR_PORT",
    "SOLR_PORT_ADVERTISE",
    "SOLR_REQUESTLOG_ENABLED",
    "SOLR_STOP_WAIT",
)
"""Variables of Solr pods, by this operator or the Solr Operator."""

ZOOKEEPER_VARIABLES = ("SERVER_JVMFLAGS",)
"""Variables of ZooKeeper pods, beside those with a reserved prefix."""

VARIABLE_PREFIXES = ("SOLRBENCH_", "ZK_", "ZOO_")


def _keys_are_valid(field: str) -> Rule:
    keys = f"self.{field}.all(key, key.matches(r'^(?:{KEY_PATTERN})$'))"
    return Rule(
        cel=f"!has(self.{field}) || {keys}",
        message=(
            f"{field} must have keys of letters, digits, '-', '_' and '.', with or without a"
            " domain and '/' before them, such as example.org/team"
        ),
        is_satisfied=lambda options: all(
            re.fullmatch(KEY_PATTERN, key, re.ASCII) for key in getattr(options, field) or ()
        ),
    )


def _none_is_reserved(
    field: str, names: tuple[str, ...], prefixes: tuple[str, ...], key: str = "each"
) -> Rule:
    """Return the rule that a map's keys, or a list's items by their `key`, are not ours."""
    terms = [f"!({key} in {list(names)})", *(f"!{key}.startsWith('{each}')" for each in prefixes)]
    return Rule(
        cel=f"!has(self.{field}) || self.{field}.all(each, {' && '.join(terms)})",
        message=(
            f"{field} must not contain what the operator or Kubernetes sets:"
            f" {', '.join([*names, *(f'{each}*' for each in prefixes)])}"
        ),
        is_satisfied=lambda options: (
            not any(
                text in names or text.startswith(prefixes)
                for text in (getattr(each, "name", each) for each in getattr(options, field) or ())
            )
        ),
    )


LABEL_RULES = (_keys_are_valid("labels"), _none_is_reserved("labels", LABELS, LABEL_PREFIXES))
"""Rules of a model with labels of the user's."""

RESERVED_RULES = (
    *LABEL_RULES,
    _keys_are_valid("annotations"),
    _none_is_reserved("annotations", tuple(UNDISTURBED), ANNOTATION_PREFIXES),
    _none_is_reserved(
        "env",
        (*TOOL_VARIABLES, *SOLR_VARIABLES, *ZOOKEEPER_VARIABLES),
        VARIABLE_PREFIXES,
        "each.name",
    ),
)
"""Rules of `PodOptions`."""
