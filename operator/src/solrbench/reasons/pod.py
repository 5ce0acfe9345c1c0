"""Reasons why a pod does not run."""

from solrbench.reasons.kinds import Kind, Reason


class PodReason(Reason):
    """Pods of the target, of the index Job and of the load."""

    FAILED_CREATE = (
        "FailedCreate",
        Kind.WARNING,
        (
            "The API server refuses the pods of a StatefulSet or Job, as a ResourceQuota, Pod"
            " Security, a security context constraint, a policy or an admission webhook asks."
        ),
        "Change what the message names; the controller of the StatefulSet or Job tries again.",
    )
    UNSCHEDULABLE = (
        "Unschedulable",
        Kind.WARNING,
        "No node has room for a pod, or none matches its constraints.",
        "Lower `resources.requests`, relax node selectors and tolerations, or add nodes.",
    )
    EVICTED = (
        "Evicted",
        Kind.WARNING,
        "The kubelet evicted a pod because its node ran out of a resource.",
        "Set `resources.requests` to what the pod uses, or free the node.",
    )
    NODE_LOST = (
        "NodeLost",
        Kind.WARNING,
        (
            "A pod that is being deleted cannot end, because its node is gone or has not been ready"
            " for more than a minute. The operator deletes the pod without the kubelet."
        ),
        "Nothing needs to be done; repair the node, or delete its Node object.",
    )
    POD_NOT_STARTING = (
        "PodNotStarting",
        Kind.WARNING,
        "A pod has been in phase Pending for longer than usual.",
        "Read the pod's events: `kubectl describe pod`.",
    )
    OOM_KILLED = (
        "OOMKilled",
        Kind.WARNING,
        (
            "A container exceeded its memory limit and was killed. A target that was ready fails"
            " the benchmark, as the next attempt would meet the same limit."
        ),
        "Raise `resources.limits.memory`, or lower the heap.",
    )
    IMAGE_PULL_ERROR = (
        "ImagePullError",
        Kind.WARNING,
        "An image could not be pulled.",
        "Check repository, tag and pull secret of the image.",
    )
    CONTAINER_CONFIG_ERROR = (
        "ContainerConfigError",
        Kind.WARNING,
        "The kubelet could not create a container from its spec.",
        "Correct what the message names, such as a missing Secret or ConfigMap.",
    )
    CRASH_LOOP_BACK_OFF = (
        "CrashLoopBackOff",
        Kind.WARNING,
        "A container exits repeatedly.",
        "Read the log of its last run: `kubectl logs --previous`.",
    )
