"""Steps without a name are named by what they do."""

import pytest

from solrbench.api.v1alpha1.load.load import Step


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"users": 5}, "users-5"),
        ({"requestsPerSecond": 16.0}, "rate-16"),
        ({"requestsPerSecond": 0.5}, "rate-0-5"),
        ({"requestsPerSecond": 0.001}, "rate-0-001"),
        ({"requestsPerSecond": 1_000_000.0}, "rate-1000000"),
        ({"users": 5, "name": "peak"}, "peak"),
    ],
)
def test_name_of_a_step(fields: dict[str, object], name: str) -> None:
    assert Step.model_validate({"requests": 1} | fields).name == name
