"""A Solr that is there already: with a password and TLS, by its nodes, a proxy, a balancer."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from support.cluster import kube
from support.cluster.benchmarks import SMALL_REQUESTS, SMALL_SOLR, config_map, small
from support.servers.certificates import authority, server_files
from support.solr import existing_solr
from support.solr.existing_solr import BALANCER, ENCRYPTED, PASSWORD, PROXY, REDIRECT, endpoint_url

Run = Callable[..., str]
OLD = "old"
NODES = 2
DOCUMENTS = 2000
QUERIES = "old-queries"
SECRETS = ("right-login", "wrong-login", "right-authority", "wrong-authority")
ENDPOINTS = {
    "nodes": existing_solr.node_urls(OLD, NODES),
    "proxy": [endpoint_url(PROXY)],
    "balancer": [endpoint_url(BALANCER)],
}


@pytest.fixture(scope="module", autouse=True)
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A SolrCloud with a collection and a password, and endpoints to it."""
    folder = tmp_path_factory.mktemp("certificates")
    right, wrong = authority(folder, "right"), authority(folder, "wrong")
    host = f"{existing_solr.ENDPOINTS}.{kube.NAMESPACE}.svc"
    target = SMALL_SOLR | {"nodes": NODES}
    kube.apply(small(OLD, target__solrCloud=target, collection={"shards": 2}, cleanup="Never"))
    kube.wait_for_success(OLD)
    kube.wait_for_reason(OLD, "CleanedUp", "CleanupSkipped", 20)
    existing_solr.lock(OLD)
    existing_solr.open_endpoints(OLD, NODES, *server_files(folder, "right", host))
    kube.apply(
        existing_solr.trust("right-authority", right),
        existing_solr.trust("wrong-authority", wrong),
        existing_solr.secret("right-login"),
        existing_solr.secret("wrong-login", "a guess"),
        config_map(QUERIES, queries__txt="q=*:*\nq=category_s:books\n"),
    )
    yield
    existing_solr.close_endpoints()
    kube.kubectl("delete", "secret", *SECRETS, "--ignore-not-found")
    kube.kubectl("delete", "configmap", QUERIES, "--ignore-not-found")
    kube.delete(OLD)


def on_old(name: str, urls: list[str], login: str = "right-login", **changes: Any) -> kube.Body:
    target = {"existing": {"urls": urls, "basicAuth": {"secret": {"name": login}}}}
    return small(name, **{"target": target, "collection": {"shards": 2}, **changes})


def used(name: str, urls: list[str], login: str = "right-login") -> kube.Body:
    body = on_old(name, urls, login)
    body["spec"]["target"]["existing"] |= {"collectionPolicy": "UseExisting", "collectionName": OLD}
    body["spec"]["workload"] = {"queries": {"configMap": {"name": QUERIES}}}
    del body["spec"]["dataset"], body["spec"]["collection"]
    return body


def failure(name: str, seconds: float = 60) -> kube.Body:
    kube.wait_for_end(name, seconds)
    return kube.condition(name, "Succeeded")


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_collection_of_our_own_comes_and_goes(run: Run, endpoint: str) -> None:
    before = existing_solr.indexes(OLD), existing_solr.config_sets()
    name = run(on_old(f"by-{endpoint}", ENDPOINTS[endpoint], cleanup="Never"))
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == DOCUMENTS
    assert status["target"]["liveNodes"] == NODES
    assert len(status["target"]["nodes"]) == NODES
    (result,) = status["results"]
    assert (result["requests"], result["failures"]) == (200, 0)
    assert existing_solr.collections() == {OLD, name}
    made = existing_solr.indexes(name)
    assert sum(documents for documents, _ in made.values()) == DOCUMENTS
    plan = json.loads(_config_maps(name)[f"{name}-index"]["index-plan.json"])
    assert set(plan["leaderUrls"]) == (set(ENDPOINTS["nodes"]) if endpoint == "nodes" else set())
    kube.delete(name)
    assert existing_solr.collections() == {OLD}
    assert (existing_solr.indexes(OLD), existing_solr.config_sets()) == before


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_collection_of_the_user_is_only_read(run: Run, endpoint: str) -> None:
    before = existing_solr.indexes(OLD), existing_solr.config_sets()
    name = run(used(f"use-{endpoint}", ENDPOINTS[endpoint]))
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == DOCUMENTS
    (result,) = status["results"]
    assert (result["requests"], result["failures"]) == (200, 0)
    assert kube.condition(name, "DataIndexed")["reason"] == "ExistingCollection"
    kube.delete(name)
    assert existing_solr.collections() == {OLD}
    assert (existing_solr.indexes(OLD), existing_solr.config_sets()) == before


def test_file_that_init_makes_of_it_runs(run: Run) -> None:
    """In the operator's pod, which reaches Solr: the machine of the tests may not."""
    (operator,) = kube.items("deployments", "app.kubernetes.io/name=solr-benchmark-operator")
    place = ["exec", f"deployment/{operator['metadata']['name']}", "--"]
    secret = ["env", f"SOLRBENCH_SOLR_PASSWORD={PASSWORD}"]
    asked = ["--from", ENDPOINTS["nodes"][0], "--user", existing_solr.USER, "--collection", OLD]
    answers = ["--name", "from-old", "--users", "1", "--seconds", "5"]
    text = kube.kubectl(*place, *secret, "solrbench", "init", *asked, *answers)
    assert "2 shards, each with 1 NRT replicas" in " ".join(text.replace("#", " ").split())
    assert PASSWORD not in text
    queries, body = yaml.safe_load_all(text)
    assert len(queries["data"]["queries.txt"].splitlines()) > 20
    login = existing_solr.secret("from-old-login")
    kube.apply(login, queries)
    body["spec"]["warmUp"] = {"requests": 10}  # until steady, it takes up to two minutes
    name = run(body)
    status = kube.wait_for_success(name)
    kube.kubectl("delete", "secret/from-old-login", f"configmap/{queries['metadata']['name']}")
    assert status["dataset"]["documents"] == DOCUMENTS
    (result,) = status["results"]
    assert result["requests"] > 10
    assert result["failures"] == 0


def test_collection_with_the_name_of_the_benchmark_is_left_alone(run: Run) -> None:
    before = existing_solr.indexes(OLD)
    stranger = "stranger"
    made = {"action": "CREATE", "name": stranger, "numShards": 1, "collection.configName": OLD}
    existing_solr.inspect("/admin/collections", **made)
    try:
        name = run(on_old(stranger, ENDPOINTS["proxy"]))
        assert failure(name)["reason"] == "CollectionExists"
        kube.delete(name)
        assert existing_solr.collections() == {OLD, stranger}
    finally:
        existing_solr.inspect("/admin/collections", action="DELETE", name=stranger)
    assert existing_solr.indexes(OLD) == before


def test_wrong_password_is_reported_and_not_retried(run: Run) -> None:
    name = run(on_old("guessing", ENDPOINTS["nodes"], "wrong-login"))
    condition = failure(name)
    assert condition["reason"] == "AuthenticationFailed"
    assert "basicAuth.secret.name" in condition["message"]
    assert "a guess" not in json.dumps(kube.benchmark(name))


def test_login_may_come_later(run: Run) -> None:
    name = run(used("waiting", ENDPOINTS["proxy"], "late-login"))
    message = kube.wait_for_reason(name, "Accepted", "SecretNotFound", 30)
    assert "late-login" in message
    try:
        kube.apply(existing_solr.secret("late-login"))
        kube.wait_for_success(name)
    finally:
        kube.kubectl("delete", "secret", "late-login", "--ignore-not-found")


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("outside", "http://search.example.org:8983/solr"),
        ("metadata", "http://169.254.169.254/solr"),
        ("loopback", "http://127.0.0.1:8983/solr"),
        ("api-server", "https://kubernetes.default.svc/solr"),
    ],
)
def test_forbidden_host_fails_the_benchmark(run: Run, name: str, url: str) -> None:
    condition = failure(run(on_old(f"host-{name}", [url])))
    assert condition["reason"] == "HostNotAllowed"


def over_tls(name: str, url: str, secret: str | None) -> kube.Body:
    body = on_old(name, [url])
    if secret is not None:
        body["spec"]["target"]["existing"]["tls"] = {"caSecret": {"name": secret}}
    return body


def test_encrypted_target_is_measured_and_our_collection_goes_at_the_end(run: Run) -> None:
    url = endpoint_url(ENCRYPTED)
    name = run(over_tls("by-tls", url, "right-authority"))
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == DOCUMENTS
    (result,) = status["results"]
    assert (result["requests"], result["failures"]) == (SMALL_REQUESTS, 0)
    assert status["target"]["url"].startswith("https://")
    kube.wait_for_reason(name, "CleanedUp", "CleanedUp", 60)
    assert existing_solr.collections() == {OLD}


OTHER_HOST = (
    f"https://{existing_solr.ENDPOINTS}.{kube.NAMESPACE}.svc.cluster.local:{ENCRYPTED}/solr"
)


@pytest.mark.parametrize(
    ("name", "url", "secret"),
    [
        ("wrong-authority", endpoint_url(ENCRYPTED), "wrong-authority"),
        ("no-authority", endpoint_url(ENCRYPTED), None),
        ("other-host", OTHER_HOST, "right-authority"),
    ],
    ids=["wrong-authority", "no-authority", "other-host"],  # the same in every namespace
)
def test_untrusted_certificate_fails_the_benchmark(
    run: Run, name: str, url: str, secret: str | None
) -> None:
    condition = failure(run(over_tls(name, url, secret)))
    assert condition["reason"] == "CertificateNotTrusted"
    assert "target.existing.tls.caSecret" in condition["message"]


def test_redirect_is_not_followed(run: Run) -> None:
    condition = failure(run(on_old("redirected", [endpoint_url(REDIRECT)])))
    assert condition["reason"] == "RedirectRefused"


def test_password_is_nowhere_but_in_its_secret(run: Run) -> None:
    name = run(on_old("discrete", ENDPOINTS["nodes"], cleanup="Never"))
    kube.wait_for_success(name)
    pods = [body["metadata"]["name"] for body in kube.items("pods")]
    ours = [pod for pod in pods if pod.startswith((name, "solrbench"))]
    assert len(ours) >= 2
    texts = [
        *(kube.kubectl("logs", pod) for pod in ours),
        kube.kubectl("get", "configmaps,pods,jobs,events,solrbenchmarks", "-o", "json"),
    ]
    encoded = base64.b64encode(PASSWORD.encode()).decode()
    for secret in (PASSWORD, json.dumps(PASSWORD)[1:-1], encoded, existing_solr.login()[6:]):
        assert not any(secret in text for text in texts)


def test_node_that_starts_again_means_a_fresh_collection(run: Run) -> None:
    long = {"name": "long", "requestsPerSecond": 20, "durationSeconds": 30}
    name = run(on_old("restarted", ENDPOINTS["balancer"], load={"steps": [long]}))
    kube.wait_for_reason(name, "Measured", "Measuring", 240)
    kube.kubectl("exec", f"{OLD}-solr-1", "--", "sh", "-c", "kill 1")
    kube.wait_for("second attempt", lambda: kube.status(name)["attempts"]["target"] == 2, 120)
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == DOCUMENTS
    assert status["results"][0]["failures"] == 0


def _config_maps(name: str) -> dict[str, dict[str, str]]:
    found = kube.items("configmaps", f"solrbench.io/benchmark={name}")
    return {body["metadata"]["name"]: body["data"] for body in found if "data" in body}
