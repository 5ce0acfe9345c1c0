"""Whether a dataset may be downloaded."""

from dataclasses import replace

from solrbench.decide.checks.downloads import DOWNLOAD_CHECKS, Downloads
from solrbench.decide.checks.outcome import Action, first_outcome

ALLOWED = Downloads(("files.example.org",), ("*.example.org",), (), secrets_allowed=False)


def test_files_of_allowed_hosts_are_fine() -> None:
    assert first_outcome(DOWNLOAD_CHECKS, ALLOWED) is None


def test_another_host_is_refused_by_name() -> None:
    found = replace(ALLOWED, hosts=("files.example.org", "evil.org"))
    outcome = first_outcome(DOWNLOAD_CHECKS, found)
    assert outcome is not None
    assert (outcome.action, outcome.reason) == (Action.FAIL, "HostNotAllowed")
    assert outcome.message.startswith("spec.dataset.http.urls: evil.org matches none")
    assert "datasets.allowedHosts" in outcome.message


def test_secrets_are_the_installers_choice() -> None:
    found = replace(ALLOWED, secret_fields=("spec.dataset.http.auth",))
    outcome = first_outcome(DOWNLOAD_CHECKS, found)
    assert outcome is not None
    assert (outcome.action, outcome.reason) == (Action.FAIL, "DatasetSecretNotAllowed")
    assert outcome.message.startswith("spec.dataset.http.auth: ")
    assert first_outcome(DOWNLOAD_CHECKS, replace(found, secrets_allowed=True)) is None
