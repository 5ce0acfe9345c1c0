import json

import pytest

from solrbench.dataset.posting.update_response import parse_failure
from solrbench.reasons.indexing import IndexingReason
from solrbench.reasons.lifecycle import LifecycleReason

# the answer of Solr 9.10.1 to a document with a bad number
REFUSED = {
    "responseHeader": {"status": 400, "QTime": 2},
    "error": {
        "metadata": ["error-class", "org.apache.solr.common.SolrException"],
        "msg": "ERROR: [doc=q] Error adding field 'n_i'='abc' msg=For input string: \"abc\"",
        "code": 400,
    },
}


def test_taken() -> None:
    assert parse_failure(200, b'{"responseHeader":{"rf":1,"status":0,"QTime":9}}', "core") is None


def test_refused_document_is_named_in_solrs_words() -> None:
    failure = parse_failure(400, json.dumps(REFUSED).encode(), "http://n/solr/c")
    assert failure is not None
    assert failure.reason is IndexingReason.DOCUMENT_REFUSED
    assert failure.permanent
    assert "http://n/solr/c: HTTP 400: ERROR: [doc=q] Error adding field 'n_i'" in str(failure)
    assert "spec.collection.configSet" in str(failure)


@pytest.mark.parametrize("status", [401, 403])
def test_login_is_not_cured_by_trying(status: int) -> None:
    failure = parse_failure(status, b"", "core")
    assert failure is not None
    assert (failure.reason, failure.permanent) == (LifecycleReason.AUTHENTICATION_FAILED, True)
    assert "target.existing.basicAuth.secret.name" in str(failure)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirect_is_not_followed_and_not_tried_again(status: int) -> None:
    failure = parse_failure(status, b"", "core")
    assert failure is not None
    assert (failure.reason, failure.permanent) == (LifecycleReason.REDIRECT_REFUSED, True)


@pytest.mark.parametrize("status", [404, 408, 409, 429, 500, 502, 503, 504])
def test_these_failures_are_retried(status: int) -> None:
    failure = parse_failure(status, b"<html>down</html>", "core")
    assert failure is not None
    assert (failure.reason, failure.permanent) == (IndexingReason.SOLR_UNAVAILABLE, False)
    assert f"core: HTTP {status}: <html>down</html>" in str(failure)


@pytest.mark.parametrize(
    "body", [b"", b"OK", b"[]", b"{}", b'{"responseHeader":{"status":-1}}', b'{"responseHeader":1}']
)
def test_200_without_solrs_word_is_no_success(body: bytes) -> None:
    failure = parse_failure(200, body, "core")
    assert failure is not None
    assert not failure.permanent
