"""What an existing target asks of its callers reaches the pods as files, and nowhere else."""

import json

import pytest

from solrbench.http_auth import HttpAuth, read_auth
from solrbench.plan.auth_files import CA_FOLDER, CREDENTIALS_FOLDER, auth_files
from support.resources.objects import container, pick, pod, stored, tools
from support.resources.small_resource import Changes, create

SECRETS = create(
    urls=["https://search/solr"],
    basicAuth={"secret": {"name": "login"}},
    tls={"caSecret": {"name": "authority", "key": "root.pem"}},
)
JOBS = ["base-index", "base-load-master", "base-load-worker"]


def volumes(job: str, changes: Changes) -> dict[str, dict[str, object]]:
    found = pod(pick(tools(changes), "Job", job))["volumes"]
    return {each["name"]: each["secret"] for each in found if "secret" in each}


@pytest.mark.parametrize("job", JOBS)
def test_only_the_keys_that_are_named_are_mounted(job: str) -> None:
    found = volumes(job, SECRETS)
    assert found["credentials"]["secretName"] == "login"
    assert found["credentials"]["items"] == [
        {"key": "username", "path": "username"},
        {"key": "password", "path": "password"},
    ]
    assert found["ca"]["secretName"] == "authority"
    assert found["ca"]["items"] == [{"key": "root.pem", "path": "ca.crt"}]
    assert {each["defaultMode"] for each in found.values()} == {0o440}


@pytest.mark.parametrize("job", JOBS)
def test_they_are_where_the_plan_says_and_read_only(job: str) -> None:
    mounts = {
        each["name"]: each
        for each in container(pick(tools(SECRETS), "Job", job))["volumeMounts"]
        if each["name"] in ("credentials", "ca")
    }
    files = auth_files(stored(SECRETS).spec.target.existing)
    assert mounts["credentials"]["mountPath"] == files.credentials_folder == CREDENTIALS_FOLDER
    assert f"{mounts['ca']['mountPath']}/ca.crt" == files.ca_file == f"{CA_FOLDER}/ca.crt"
    assert all(each["readOnly"] for each in mounts.values())


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("changes", [{}, create()])
def test_no_secret_without_need(job: str, changes: Changes) -> None:
    assert volumes(job, changes) == {}
    assert read_auth(auth_files(stored(changes).spec.target.existing)) == HttpAuth()


def test_plans_name_files_and_no_secret() -> None:
    for name in ("base-index", "base-load-master"):
        text = json.dumps(pick(tools(SECRETS), "ConfigMap", name)["data"])
        assert "login" not in text
        assert "authority" not in text
