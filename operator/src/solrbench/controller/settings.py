"""The operator's environment, read once at start."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from socket import AF_INET, AF_INET6

from solrbench.decide.hosts import DEFAULT_PATTERNS
from solrbench.decide.references import DEFAULT_POD_OPTIONS, POD_OPTIONS
from solrbench.manifests.common import OperatorImage
from solrbench.manifests.network_policies import PolicyPeers
from solrbench.net.deadline import LISTEN_ALL, url_host


@dataclass(frozen=True)
class Settings:
    """How this operator runs."""

    namespaces: tuple[str, ...]
    """Where benchmarks are watched; empty means in every namespace."""
    image: OperatorImage
    """Image of index and load pods, the operator's own."""
    concurrency: int = 1
    concurrency_per_namespace: int = 0
    """Benchmarks of one that may run at a time, 0 for any number."""
    allowed_hosts: tuple[str, ...] = DEFAULT_PATTERNS
    """Patterns of the hosts that existing targets, variants and external ensembles may have;
    `{namespace}` stands for that of the benchmark."""
    dataset_hosts: tuple[str, ...] = ("*",)
    dataset_secrets: bool = False
    """Whether Secrets may be used for downloads of datasets."""
    export_hosts: tuple[str, ...] = ("*",)
    allowed_pod_options: tuple[str, ...] = DEFAULT_POD_OPTIONS
    metrics_port: int = 9090
    """Where Prometheus scrapes, 0 for nowhere."""
    health_port: int = 8080
    """Where the kubelet probes whether the operator lives, 0 for nowhere."""
    log_format: str = "text"
    log_level: str = "INFO"
    pod_ip: str = ""
    """First address of the operator's pod, empty outside of one."""
    metrics_result_seconds: int = 3600
    """How long metrics show the results of a finished benchmark."""
    report_mebibytes: int = 64
    """Limit of the stored results of a namespace together."""
    lease: str = ""
    """Name of the Lease, in the operator's namespace, that its replicas hold in turn; none if it is
    empty."""
    operator_namespace: str = ""
    policy_peers: PolicyPeers = field(default_factory=PolicyPeers)

    @property
    def health_url(self) -> str | None:
        """Where the kubelet asks whether the operator lives; it asks at the pod's first address."""
        host = url_host(LISTEN_ALL[AF_INET6 if ":" in self.pod_ip else AF_INET])
        return f"http://{host}:{self.health_port}/healthz" if self.health_port else None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Return the settings that the variables `SOLRBENCH_*` give.

        It raises `ValueError` if a variable is missing or is not what it must be, and names it.
        """
        get, own_namespace = environment.get, environment.get("SOLRBENCH_OPERATOR_NAMESPACE", "")
        image = get("SOLRBENCH_IMAGE", "")
        if not image:
            raise ValueError("SOLRBENCH_IMAGE must name the image that index and load pods run")
        return cls(
            namespaces=_words(get("SOLRBENCH_NAMESPACES", "").replace("*", "")),
            image=OperatorImage(
                image,
                get("SOLRBENCH_IMAGE_PULL_POLICY", OperatorImage.pull_policy),
                _words(get("SOLRBENCH_IMAGE_PULL_SECRETS")),
            ),
            concurrency=_number(environment, "SOLRBENCH_CONCURRENCY", cls.concurrency, 1),
            concurrency_per_namespace=_number(
                environment, "SOLRBENCH_CONCURRENCY_PER_NAMESPACE", cls.concurrency_per_namespace, 0
            ),
            allowed_hosts=_words(get("SOLRBENCH_ALLOWED_HOSTS"), cls.allowed_hosts),
            dataset_hosts=_words(get("SOLRBENCH_DATASET_HOSTS"), cls.dataset_hosts),
            export_hosts=_words(get("SOLRBENCH_EXPORT_HOSTS"), cls.export_hosts),
            dataset_secrets=get("SOLRBENCH_DATASET_SECRETS") == "true",
            allowed_pod_options=_pod_options(environment, cls.allowed_pod_options),
            metrics_port=_number(environment, "SOLRBENCH_METRICS_PORT", cls.metrics_port, 0),
            health_port=_number(environment, "SOLRBENCH_HEALTH_PORT", cls.health_port, 0),
            log_format=get("SOLRBENCH_LOG_FORMAT", cls.log_format),
            log_level=get("SOLRBENCH_LOG_LEVEL", cls.log_level),
            pod_ip=get("SOLRBENCH_POD_IP", cls.pod_ip),
            metrics_result_seconds=_number(
                environment, "SOLRBENCH_METRICS_RESULT_SECONDS", cls.metrics_result_seconds, 0
            ),
            lease=get("SOLRBENCH_LEASE", cls.lease),
            operator_namespace=own_namespace,
            report_mebibytes=_number(
                environment, "SOLRBENCH_REPORT_MEBIBYTES", cls.report_mebibytes, 1
            ),
            policy_peers=PolicyPeers(
                own_namespace,
                _labels(environment, "SOLRBENCH_OPERATOR_LABELS"),
                get("SOLRBENCH_OPEN_NODES", "true") == "true",
            ),
        )


def _words(text: str | None, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    if text is None:
        return default
    return tuple(filter(None, (each.strip() for each in text.split(","))))


def _labels(environment: Mapping[str, str], name: str) -> dict[str, str]:
    pairs = [each.partition("=") for each in _words(environment.get(name))]
    if not all(key and value for key, _, value in pairs):
        raise ValueError(f"{name} must be KEY=VALUE,KEY=VALUE, not {environment[name]!r}")
    return {key: value for key, _, value in pairs}


def _pod_options(environment: Mapping[str, str], default: tuple[str, ...]) -> tuple[str, ...]:
    name = "SOLRBENCH_ALLOWED_POD_OPTIONS"
    option_names = _words(environment.get(name), default)
    unknown = [option_name for option_name in option_names if option_name not in POD_OPTIONS]
    if unknown:
        raise ValueError(f"{name} must be of {', '.join(POD_OPTIONS)}, not {', '.join(unknown)}")
    return option_names


def _number(environment: Mapping[str, str], name: str, default: int, least: int) -> int:
    text = environment.get(name, str(default))
    if not text.isdigit() or int(text) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {text!r}")
    return int(text)
