"""No credential is left in text that is kept, however it is written."""

import base64
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.decide.evidence.masking import MAX_LINE, mask, secret_names, secret_values

PASSWORD = 'Sol"r R&cks/4'


def secret(**data: str) -> dict[str, dict[str, str]]:
    return {"data": {key: base64.b64encode(each.encode()).decode() for key, each in data.items()}}


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Basic c29scjpIVU5URVI=",
        "authorization=Bearer HUNTER.a.b",
        '{"Authorization": "Digest username=\\"HUNTER\\", realm=\\"x\\""}',
        "Proxy-Authorization: HUNTER more HUNTER",
        "Set-Cookie: session=HUNTER; Path=/",
        "X-Vault-Token: HUNTER",
        "sent header Basic HUNTER0123==",
        "GET https://solr:HUNTER@search.example.org/solr failed",
        "GET https://solr:HUN/TER@search.example.org/solr failed",
        "jdbc:postgresql://me:HUNTER@db/x,http://b",
        "-Dsolr.jetty.keystore.password=HUNTER -Xmx1g",
        "-Dbasicauth=solr:HUNTER",
        'password: "HUNTER HUNTER" user: x',
        '"secretKey":"HUNTER",',
        "api_key=HUNTER&q=1",
        "access_token='HUNTER'",
        "-----BEGIN RSA PRIVATE KEY-----\nHUNTER\nHUNTER",
        "-----BEGIN PRIVATE KEY-----\nHUNTER\n-----END PRIVATE KEY-----",
    ],
)
def test_what_looks_like_a_credential_is_masked(line: str) -> None:
    masked = mask(f"before\n{line}\nafter HUNTER" if "BEGIN" not in line else line, ())
    assert "***" in masked
    assert "HUNTER" not in masked.replace("after HUNTER", "")
    assert "HUN/TER" not in masked
    assert "c29scjpIVU5URVI" not in masked


@pytest.mark.parametrize(
    "line",
    [
        "org.apache.solr.common.SolrException: undefined field tokenizer",
        "2026-01-01 12:00:00.000 INFO (qtp1-20) [c:books s:shard1] o.a.s.c.S.Request path=/select",
        "java.lang.OutOfMemoryError: Java heap space",
        "http://one-solr-0.one-solr.default.svc:8983/solr did not respond",
    ],
)
def test_ordinary_lines_stay(line: str) -> None:
    assert mask(line, ()) == line


@pytest.mark.parametrize(
    "written",
    [
        PASSWORD,
        "Sol%22r%20R%26cks%2F4",
        "Sol%22r+R%26cks%2F4",
        'Sol\\"r R&cks/4',
        base64.b64encode(PASSWORD.encode()).decode(),
        base64.b64encode(f"solr:{PASSWORD}".encode()).decode(),
    ],
)
def test_values_of_secrets_are_masked_in_every_form(written: str) -> None:
    values = secret_values(secret(username="solr", password=PASSWORD))
    assert mask(f"a {written} b solr", values).replace("=", "") == "a *** b solr"


@pytest.mark.parametrize(
    "written", ["correct-\x00horse", "correct-\x1b[1mhorse", "pass\x00word=correct-horse"]
)
def test_control_characters_hide_no_value(written: str) -> None:
    assert "horse" not in mask(written, secret_values(secret(password="correct-horse")))
    assert "horse" not in mask(f"password={written}", ())


def test_value_with_control_characters_is_masked() -> None:
    assert mask("x a\tb-c y", secret_values(secret(password="a\tb-c"))) == "x *** y"


def test_lines_of_a_value_are_masked_each() -> None:
    values = secret_values(secret(key="first-line\nsecond-line\nx"))
    assert mask("second-line and x", values) == "*** and x"


def test_short_values_are_masked_as_words() -> None:
    assert mask("abc abcd c-abc", secret_values(secret(pin="abc"))) == "*** abcd c-***"


def test_cut_of_a_long_line_leaves_no_part_of_a_word() -> None:
    line = "a " * (MAX_LINE // 2 - 2) + "password=HUNTER"
    assert "HUN" not in mask(line, ())
    assert mask("x" * (MAX_LINE + 1), ()) == "…"


def test_hostile_text_takes_no_time() -> None:
    hostile = ["://" * 700, "password" * 250, "BEGIN " * 300, "authorization" * 150, "token=" * 300]
    started = time.process_time()
    mask("\n".join(hostile * 20), ())
    assert time.process_time() - started < 5  # quadratic patterns would take minutes


@given(st.text(alphabet="ps=:/@ \"'\n", max_size=60), st.integers(0, 60))
@settings(max_examples=50, deadline=None)
def test_value_of_a_secret_is_masked_anywhere(text: str, place: int) -> None:
    value = "correct-horse"
    assert value not in mask(text[:place] + value + text[place:], secret_values(secret(p=value)))


def test_secrets_that_containers_may_know_are_found() -> None:
    pod = {
        "spec": {
            "imagePullSecrets": [{"name": "pull"}],
            "volumes": [
                {"secret": {"secretName": "mounted"}},
                {"projected": {"sources": [{"secret": {"name": "projected"}}]}},
                {"configMap": {"name": "no"}},
            ],
            "initContainers": [{"envFrom": [{"secretRef": {"name": "all"}}]}],
            "containers": [{"env": [{"valueFrom": {"secretKeyRef": {"name": "one", "key": "k"}}}]}],
        }
    }
    assert secret_names(pod) == {"mounted", "projected", "all", "one"}
    assert secret_names({}) == set()
