import pytest

from solrbench.controller.settings import Settings
from solrbench.decide.references import DEFAULT_POD_OPTIONS

IMAGE = {"SOLRBENCH_IMAGE": "solrbench:1"}


@pytest.mark.parametrize(
    ("variables", "field", "value"),
    [
        ({}, "namespaces", ()),
        ({"SOLRBENCH_NAMESPACES": "a, b"}, "namespaces", ("a", "b")),
        ({"SOLRBENCH_NAMESPACES": "*"}, "namespaces", ()),
        ({"SOLRBENCH_NAMESPACES": ""}, "namespaces", ()),
        ({"SOLRBENCH_NAMESPACES": "one"}, "namespaces", ("one",)),
        ({}, "concurrency", 1),
        ({}, "concurrency_per_namespace", 0),
        ({"SOLRBENCH_CONCURRENCY_PER_NAMESPACE": "2"}, "concurrency_per_namespace", 2),
        ({}, "allowed_hosts", ("*.{namespace}.svc", "*.{namespace}.svc.cluster.local")),
        ({"SOLRBENCH_ALLOWED_HOSTS": ""}, "allowed_hosts", ()),
        ({"SOLRBENCH_ALLOWED_HOSTS": "*.svc, a.org"}, "allowed_hosts", ("*.svc", "a.org")),
        ({}, "dataset_hosts", ("*",)),
        ({"SOLRBENCH_DATASET_HOSTS": "a,*.b"}, "dataset_hosts", ("a", "*.b")),
        ({}, "dataset_secrets", False),
        ({"SOLRBENCH_DATASET_SECRETS": "true"}, "dataset_secrets", True),
        ({}, "export_hosts", ("*",)),
        ({"SOLRBENCH_EXPORT_HOSTS": "*.svc"}, "export_hosts", ("*.svc",)),
        ({}, "allowed_pod_options", DEFAULT_POD_OPTIONS),
        ({"SOLRBENCH_ALLOWED_POD_OPTIONS": ""}, "allowed_pod_options", ()),
        (
            {"SOLRBENCH_ALLOWED_POD_OPTIONS": "labels, env"},
            "allowed_pod_options",
            ("labels", "env"),
        ),
        ({}, "health_url", "http://0.0.0.0:8080/healthz"),
        ({"SOLRBENCH_POD_IP": "10.244.0.9"}, "health_url", "http://0.0.0.0:8080/healthz"),
        ({"SOLRBENCH_POD_IP": "fd00::9"}, "health_url", "http://[::]:8080/healthz"),
        ({"SOLRBENCH_HEALTH_PORT": "0"}, "health_url", None),
    ],
)
def test_settings_are_read_from_the_environment(
    variables: dict[str, str], field: str, value: object
) -> None:
    assert getattr(Settings.from_environment(IMAGE | variables), field) == value


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


def test_image_and_pull_secrets_are_read_from_the_environment() -> None:
    image = Settings.from_environment(IMAGE | {"SOLRBENCH_IMAGE_PULL_SECRETS": "one,two"}).image
    assert (image.reference, image.pull_secrets) == ("solrbench:1", ("one", "two"))
