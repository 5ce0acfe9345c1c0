"""Which cluster and user are meant."""

from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
import yaml

from solrbench.kube.connection import Request, open_connection, tls_context
from solrbench.kube.kubeconfig import ClusterAccess, NoClusterError, auth_of, find_access
from support.servers.certificates import authority


def kubeconfig(file: Path, name: str, **user: Any) -> Path:
    context = {"cluster": name, "user": name, "namespace": f"of-{name}"}
    cluster = {"server": f"https://{name}", "certificate-authority": "ca"}
    content = {
        "current-context": name,
        "contexts": [{"name": name, "context": context}],
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": user}],
    }
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text(yaml.safe_dump(content), "utf-8")
    return file


@pytest.fixture
def pod(tmp_path: Path) -> Path:
    folder = tmp_path / "service-account"
    folder.mkdir()
    (folder / "token").write_text("t", "utf-8")
    (folder / "namespace").write_text("runners\n", "utf-8")
    return folder


def find(environment: dict[str, str], pod: Path, context: str | None = None) -> ClusterAccess:
    inside = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    return find_access(context, None, inside | environment, pod)


def test_kubeconfig_comes_before_the_account_of_the_pod(tmp_path: Path, pod: Path) -> None:
    file = kubeconfig(tmp_path / "config", "one")
    assert find({"KUBECONFIG": str(file)}, pod).server == "https://one"
    kubeconfig(tmp_path / ".kube/config", "home")
    assert find({"HOME": str(tmp_path)}, pod).namespace == "of-home"


def test_account_of_the_pod_is_the_last_resort(tmp_path: Path, pod: Path) -> None:
    found = find({"HOME": str(tmp_path)}, pod)
    place = found.context, found.server, found.namespace
    assert place == (None, "https://10.0.0.1:443", "runners")
    assert found.user == {"tokenFile": str(pod / "token")}


def test_a_context_is_never_taken_for_the_account_of_the_pod(tmp_path: Path, pod: Path) -> None:
    with pytest.raises(NoClusterError, match="no context other; it has: none"):
        find({"HOME": str(tmp_path)}, pod, "other")


def test_files_are_merged_and_paths_are_relative_to_each(tmp_path: Path, pod: Path) -> None:
    first = kubeconfig(tmp_path / "a/config", "one", token="x")
    second = kubeconfig(tmp_path / "b/config", "two", **{"client-key": "key.pem"})
    both = {"KUBECONFIG": f"{first}:{second}:{tmp_path / 'none'}"}
    assert find(both, pod).context == "one"
    found = find(both, pod, "two")
    assert found.cluster["certificate-authority"] == str(tmp_path / "b/ca")
    assert found.user["client-key"] == str(tmp_path / "b/key.pem")


def test_secrets_are_in_no_text_of_it(tmp_path: Path, pod: Path) -> None:
    file = kubeconfig(tmp_path / "config", "one", token="s3cret")
    assert "s3cret" not in repr(find({"KUBECONFIG": str(file)}, pod))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read"),
        ("- 1", "is not a kubeconfig"),
        ("{}", "no kubeconfig with a current context"),
        ("current-context: x", "no context x"),
        (
            "{current-context: x, contexts: [{name: x, context: {cluster: y}}]}",
            "no cluster of context x, y",
        ),
        (
            """{current-context: x, contexts: [{name: x, context: {cluster: y}}],
            clusters: [{name: y, cluster: {}}]}""",
            "has no server",
        ),
    ],
)
def test_a_file_without_a_cluster_is_explained(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "config"
    file.write_text(text, "utf-8")
    with pytest.raises(NoClusterError, match=words):
        find_access(None, file)


def test_files_that_are_named_must_be_there(tmp_path: Path, pod: Path) -> None:
    with pytest.raises(NoClusterError, match="does not exist"):
        find({"KUBECONFIG": str(tmp_path / "none")}, pod)


def sent_headers(user: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is sent beside a request's own headers as a user of a kubeconfig."""
    access = ClusterAccess("admin", "https://cluster", "default", {}, user)
    request = open_connection(access)._build(Request("GET", "/", {}, {}, None), httpx.Timeout(1))
    auth = auth_of(access, None)
    request = request if auth is None else next(auth.auth_flow(request))
    shown = ("impersonate", "authorization")
    return [each for each in request.headers.multi_items() if each[0].startswith(shown)]


def test_a_lesser_user_is_sent_with_each_request() -> None:
    user = {"token": "secret", "as": "reader", "as-uid": "7", "as-groups": ["team", "guests"]}
    headers = sent_headers(user | {"as-user-extra": {"Example.org/Reason": ["audit"]}})
    assert sorted(headers) == [
        ("authorization", "Bearer secret"),
        ("impersonate-extra-example.org%2freason", "audit"),
        ("impersonate-group", "guests"),
        ("impersonate-group", "team"),
        ("impersonate-uid", "7"),
        ("impersonate-user", "reader"),
    ]


def test_a_lesser_user_is_sent_with_a_client_certificate() -> None:
    assert sent_headers({"as": "reader"}) == [("impersonate-user", "reader")]


def test_comments_of_an_authority_may_have_any_letter(tmp_path: Path) -> None:
    file = authority(tmp_path, "own")
    file.write_text(f"# F\u0151tan\u00fas\u00edtv\u00e1ny\n{file.read_text()}", "utf-8")
    cluster = {"certificate-authority": str(file)}
    trust = tls_context(ClusterAccess("admin", "https://cluster", "default", cluster, {}), None)
    assert len(trust.get_ca_certs()) == 1


def test_groups_without_a_user_are_refused() -> None:
    with pytest.raises(NoClusterError, match="set as"):
        sent_headers({"as-groups": ["team"]})


def test_a_program_of_a_relative_path_is_beside_its_kubeconfig(tmp_path: Path, pod: Path) -> None:
    file = kubeconfig(tmp_path / "config", "one", exec={"command": "bin/login"})
    beside = str(tmp_path / "bin" / "login")
    assert find({"KUBECONFIG": str(file)}, pod).user["exec"]["command"] == beside
    file = kubeconfig(tmp_path / "config", "one", exec={"command": "login"})
    assert find({"KUBECONFIG": str(file)}, pod).user["exec"]["command"] == "login"
