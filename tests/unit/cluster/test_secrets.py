from base64 import b64encode

import pytest

from solrbench.cluster.secrets import secret_auth
from solrbench.errors import TemporaryError
from solrbench.http_auth import HttpAuth, basic_auth
from solrbench.reasons.api_server import ApiServerReason
from support.cluster.benchmarks import secret
from support.fakes.fake_cluster import FakeCluster, refusal
from support.resources.objects import stored
from support.resources.small_resource import create

LOGIN = {"basicAuth": {"secret": {"name": "login"}}}
TRUST = {"urls": ["https://search/solr"], "tls": {"caSecret": {"name": "ca", "key": "root.pem"}}}


def read(cluster: FakeCluster, **fields: object) -> HttpAuth:
    existing = stored(create(**fields)).spec.target.existing
    assert existing is not None
    return secret_auth(cluster, "search", existing)


def test_secrets_become_credentials_and_authorities() -> None:
    login = secret("login", username="solr", password="SolrRocks\n")
    cluster = FakeCluster(login, secret("ca", **{"root.pem": "PEM"}))
    assert read(cluster, **LOGIN, **TRUST) == HttpAuth(basic_auth("solr", "SolrRocks"), "PEM")
    assert read(cluster) == HttpAuth()


def test_missing_secret_may_come_later() -> None:
    with pytest.raises(TemporaryError, match="no Secret login in namespace search") as caught:
        read(FakeCluster(), **LOGIN)
    assert caught.value.reason == "SecretNotFound"


@pytest.mark.parametrize("key", ["username", "password"])
def test_missing_key_is_named_and_the_other_not_printed(key: str) -> None:
    keys = {"username": "solr", "password": "SolrRocks"}
    del keys[key]
    cluster = FakeCluster(secret("login", **keys))
    with pytest.raises(TemporaryError, match=f"has no key {key}") as caught:
        read(cluster, **LOGIN)
    assert caught.value.reason == "SecretNotFound"
    assert not any(value in str(caught.value) for value in keys.values())


def test_key_that_is_no_text() -> None:
    body = secret("login", username="solr", password="x")
    body["data"]["password"] = b64encode(b"\xff\xfe").decode()
    cluster = FakeCluster(body)
    with pytest.raises(TemporaryError, match="not text in UTF-8"):
        read(cluster, **LOGIN)


def test_operator_without_the_right_says_which_value_gives_it() -> None:
    forbidden = TemporaryError(ApiServerReason.API_REFUSED, "secrets is forbidden")
    cluster = FakeCluster(fault=refusal(forbidden))
    with pytest.raises(TemporaryError, match=r"rbac\.secrets") as caught:
        read(cluster, **LOGIN)
    assert caught.value.reason == "SecretNotReadable"
