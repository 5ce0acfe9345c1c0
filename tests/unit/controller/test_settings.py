import pytest

from solrbench.controller.settings import Settings
from solrbench.decide.references import DEFAULT_POD_OPTIONS

IMAGE = {"SOLRBENCH_IMAGE": "solrbench:1"}


def test_empty_environment_gives_the_defaults() -> None:
    settings = Settings.from_environment(IMAGE)
    assert settings.namespaces == ()
    assert settings.concurrency == 1
    assert settings.image.reference == "solrbench:1"


@pytest.mark.parametrize(
    ("text", "namespaces"), [("a, b", ("a", "b")), ("*", ()), ("", ()), ("one", ("one",))]
)
def test_namespaces_are_read_from_the_environment(text: str, namespaces: tuple[str, ...]) -> None:
    assert (
        Settings.from_environment(IMAGE | {"SOLRBENCH_NAMESPACES": text}).namespaces == namespaces
    )


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"SOLRBENCH_IMAGE": ""}, "SOLRBENCH_IMAGE"),
        ({"SOLRBENCH_CONCURRENCY": "0"}, "SOLRBENCH_CONCURRENCY"),
        ({"SOLRBENCH_CONCURRENCY": "two"}, "SOLRBENCH_CONCURRENCY"),
        ({"SOLRBENCH_METRICS_PORT": "-1"}, "SOLRBENCH_METRICS_PORT"),
        ({"SOLRBENCH_OPERATOR_LABELS": "app"}, "SOLRBENCH_OPERATOR_LABELS"),
        ({"SOLRBENCH_ALLOWED_POD_OPTIONS": "labels,hostPID"}, "must be of .*, not hostPID"),
    ],
)
def test_bad_variable_is_named(changes: dict[str, str], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Settings.from_environment(IMAGE | changes)


@pytest.mark.parametrize(
    ("variables", "hosts"),
    [
        ({}, ("*.{namespace}.svc", "*.{namespace}.svc.cluster.local")),
        ({"SOLRBENCH_ALLOWED_HOSTS": ""}, ()),
        ({"SOLRBENCH_ALLOWED_HOSTS": "*.svc, search.example.org"}, ("*.svc", "search.example.org")),
    ],
)
def test_allowed_hosts_are_read_from_the_environment(
    variables: dict[str, str], hosts: tuple[str, ...]
) -> None:
    assert Settings.from_environment(IMAGE | variables).allowed_hosts == hosts


def test_downloads_may_go_anywhere_without_secrets_by_default() -> None:
    default = Settings.from_environment(IMAGE)
    assert (default.dataset_hosts, default.dataset_secrets) == (("*",), False)
    variables = {"SOLRBENCH_DATASET_HOSTS": "a,*.b", "SOLRBENCH_DATASET_SECRETS": "true"}
    given = Settings.from_environment(IMAGE | variables)
    assert (given.dataset_hosts, given.dataset_secrets) == (("a", "*.b"), True)


def test_exports_may_go_anywhere_by_default() -> None:
    assert Settings.from_environment(IMAGE).export_hosts == ("*",)
    given = Settings.from_environment(IMAGE | {"SOLRBENCH_EXPORT_HOSTS": "*.svc"})
    assert given.export_hosts == ("*.svc",)


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        ({}, DEFAULT_POD_OPTIONS),
        ({"SOLRBENCH_ALLOWED_POD_OPTIONS": ""}, ()),
        ({"SOLRBENCH_ALLOWED_POD_OPTIONS": "labels, env"}, ("labels", "env")),
    ],
)
def test_allowed_pod_options_are_read_from_the_environment(
    variables: dict[str, str], options: tuple[str, ...]
) -> None:
    assert Settings.from_environment(IMAGE | variables).allowed_pod_options == options


def test_places_of_a_namespace_are_read_from_the_environment() -> None:
    assert Settings.from_environment(IMAGE).concurrency_per_namespace == 0
    given = Settings.from_environment(IMAGE | {"SOLRBENCH_CONCURRENCY_PER_NAMESPACE": "2"})
    assert given.concurrency_per_namespace == 2


def test_pull_secrets_are_read_from_the_environment() -> None:
    settings = Settings.from_environment(IMAGE | {"SOLRBENCH_IMAGE_PULL_SECRETS": "one,two"})
    assert settings.image.pull_secrets == ("one", "two")


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, "http://0.0.0.0:8080/healthz"),
        ({"SOLRBENCH_POD_IP": "10.244.0.9"}, "http://0.0.0.0:8080/healthz"),
        ({"SOLRBENCH_POD_IP": "fd00::9"}, "http://[::]:8080/healthz"),
        ({"SOLRBENCH_HEALTH_PORT": "0"}, None),
    ],
)
def test_health_is_served_where_the_kubelet_asks(
    variables: dict[str, str], url: str | None
) -> None:
    assert Settings.from_environment(IMAGE | variables).health_url == url
