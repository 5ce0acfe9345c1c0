from base64 import b64decode
from pathlib import Path

import pytest

from solrbench.errors import PermanentError
from solrbench.http_auth import HttpAuth, basic_auth, read_auth
from solrbench.plan.auth_files import AuthFiles


def test_credentials_in_utf_8() -> None:
    assert (
        b64decode(basic_auth("änne", "pass:wörd").removeprefix("Basic ")).decode()
        == "änne:pass:wörd"
    )


def test_files_of_a_mounted_secret(tmp_path: Path) -> None:
    (tmp_path / "username").write_text("solr\n")
    (tmp_path / "password").write_text(" Rocks \r\n")
    (tmp_path / "ca.crt").write_text("PEM")
    access = read_auth(
        AuthFiles(credentials_folder=str(tmp_path), ca_file=str(tmp_path / "ca.crt"))
    )
    assert access == HttpAuth(basic_auth("solr", " Rocks "), "PEM")


def test_target_without_auth_sends_no_header() -> None:
    assert read_auth(AuthFiles()) == HttpAuth()
    assert HttpAuth().headers == {}


def test_secrets_are_not_in_the_repr() -> None:
    access = HttpAuth(basic_auth("solr", "SolrRocks"), "PEM")
    assert repr(access) == "HttpAuth()"
    assert access.headers["Authorization"].startswith("Basic ")


@pytest.mark.parametrize("text", ["", "  ", "not a certificate"])
def test_text_that_holds_no_certificate_is_not_the_systems_trust(text: str) -> None:
    with pytest.raises(PermanentError, match="caSecret") as caught:
        _ = HttpAuth(ca=text).ssl_context
    assert caught.value.reason == "CertificateNotTrusted"
