"""Manifests of companions: what they become, and what is refused by its name."""

from typing import Any

import pytest

from solrbench.errors import PermanentError
from solrbench.manifests.companion_bundle import ManifestText, parse_bundle
from solrbench.manifests.companion_objects import BundleScope, CompanionBundle
from solrbench.reasons.target import CompanionReason
from support.failing import failing
from support.resources.companions import (
    CONTAINER,
    DEPLOYMENT,
    FILES,
    MANIFESTS,
    REFUSED_FIELDS,
    REFUSED_TEXTS,
    SERVICE,
    VALUES,
    WORKERS,
    changed,
    text_of,
)


def parse(*texts: str, **scope: Any) -> CompanionBundle:
    found = [ManifestText("spec.companions[0]", each, WORKERS) for each in texts]
    given = {"benchmark_name": "a" * 30, "namespace": "search", "values": VALUES} | scope
    return parse_bundle(found, BundleScope(**given))


def replaced(body: dict[str, Any]) -> str:
    """Return the manifests with one of them as it is given."""
    others = [each for each in MANIFESTS if each["kind"] != body["kind"]]
    return text_of(*others, body)


def test_values_are_filled_in_everywhere() -> None:
    bundle = parse(text_of(*MANIFESTS), benchmark_name="base")
    (container,) = bundle.deployments[0].spec.template.spec.containers
    assert container.args == ["--to", VALUES["SOLR_URL"], "--own", "$(OWN)"]
    assert container.env is not None
    assert container.env[0].value == "12 of base"
    assert bundle.config_maps[0].data == {
        "proxy.py": "to a:8983,b:8983 by base-proxy.search.svc, $(date), $(KEPT)"
    }
    assert bundle.pods == 2


def test_numbers_may_be_values() -> None:
    body = changed(DEPLOYMENT, "spec.replicas", "$(WORKERS)")
    found = [ManifestText("x", replaced(body), {"WORKERS": "3"})]
    assert parse_bundle(found, BundleScope("base", "search", VALUES)).pods == 3


def test_a_service_without_selector_leads_to_the_deployment_of_its_name() -> None:
    assert parse(replaced(changed(SERVICE, "spec.selector", {}))).services
    other = changed(changed(SERVICE, "spec.selector", {}), "metadata.name", "web")
    with pytest.raises(PermanentError, match=r"Service web: spec\.selector must be"):
        parse(text_of(*MANIFESTS, other))


def refusal(text: str) -> str:
    with failing(PermanentError, CompanionReason.COMPANION_REFUSED) as caught:
        parse(text)
    return caught.value.message


@pytest.mark.parametrize("name", REFUSED_FIELDS)
def test_what_leaves_the_pod_or_lends_rights_is_refused_by_name(name: str) -> None:
    body, path, value, words = REFUSED_FIELDS[name]
    message = refusal(replaced(changed(body, path, value)))
    assert words in message
    assert body["kind"] in message


@pytest.mark.parametrize("name", REFUSED_TEXTS)
def test_other_texts_are_refused(name: str) -> None:
    text, words = REFUSED_TEXTS[name]
    message = refusal(text)
    assert words in message
    assert len(message) < 2000


def test_secrets_and_labels_are_the_installer_s_to_allow() -> None:
    source = {"valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}
    secret = replaced(changed(DEPLOYMENT, f"{CONTAINER}.env.0", {"name": "A"} | source))
    assert parse(secret, allows_secrets=True).deployments
    with pytest.raises(PermanentError, match=r"template\.metadata\.labels must not be set"):
        parse(text_of(*MANIFESTS), allows_labels=False)
    plain = changed(DEPLOYMENT, "spec.template.metadata", {})
    plain = changed(plain, "spec.selector", {})
    service = changed(SERVICE, "spec.selector", {})
    assert parse(text_of(plain, service, FILES), allows_labels=False).deployments


def test_manifests_may_stand_in_several_texts() -> None:
    bundle = parse(text_of(FILES, None), text_of(DEPLOYMENT), text_of(SERVICE))
    found = bundle.deployments, bundle.services, bundle.config_maps
    assert [len(each) for each in found] == [1, 1, 1]
