from base64 import b64decode
from pathlib import Path

import pytest

from solrbench.errors import PermanentError
from solrbench.http_auth import Access, basic, read_access
from solrbench.plan.auth_files import AccessFiles


def test_credentials_in_utf_8() -> None:
    assert b64decode(basic("änne", "pass:wörd").removeprefix("Basic ")).decode() == "änne:pass:wörd"


def test_files_of_a_mounted_secret(tmp_path: Path) -> None:
    (tmp_path / "username").write_text("solr\n")
    (tmp_path / "password").write_text(" Rocks \r\n")
    (tmp_path / "ca.crt").write_text("PEM")
    access = read_access(
        AccessFiles(credentials_folder=str(tmp_path), ca_file=str(tmp_path / "ca.crt"))
    )
    assert access == Access(basic("solr", " Rocks "), "PEM")


def test_nothing_is_asked_for() -> None:
    assert read_access(AccessFiles()) == Access()
    assert Access().headers == {}


def test_nobody_prints_what_is_secret() -> None:
    access = Access(basic("solr", "SolrRocks"), "PEM")
    assert repr(access) == "Access()"
    assert access.headers["Authorization"].startswith("Basic ")


@pytest.mark.parametrize("text", ["", "  ", "not a certificate"])
def test_text_that_holds_no_certificate_is_not_the_systems_trust(text: str) -> None:
    with pytest.raises(PermanentError, match="caSecret") as caught:
        _ = Access(ca=text).ssl_context
    assert caught.value.reason == "CertificateNotTrusted"
