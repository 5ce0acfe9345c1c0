"""What is kept of a failure holds no credential, has limits, and reads well in YAML."""

import base64
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.decide.evidence import (
    MAX_EVENTS,
    MAX_LINE,
    add_entry,
    describe_collection,
    describe_events,
    describe_log,
    describe_pod,
    has_log,
    has_problem,
    join_sections,
    mask,
    secret_names,
    secret_values,
)
from solrbench.decide.views import ContainerView, PodView, Replica
from support.resources.pod_views import pod_view

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


@pytest.mark.parametrize(
    ("text", "value", "masked"),
    [
        pytest.param("x a\tb-c y", "a\tb-c", "x *** y", id="with control characters"),
        pytest.param("second-1 x", "first-1\nsecond-1\nx", "*** x", id="lines of one each"),
        pytest.param("abc abcd c-abc", "abc", "*** abcd c-***", id="short ones as words"),
    ],
)
def test_values_are_masked(text: str, value: str, masked: str) -> None:
    assert mask(text, secret_values(secret(password=value))) == masked


def test_cut_of_a_long_line_leaves_no_part_of_a_word() -> None:
    line = "a " * (MAX_LINE // 2 - 2) + "password=HUNTER"
    assert "HUN" not in mask(line, ())
    assert mask("x" * (MAX_LINE + 1), ()) == "…"


def test_many_values_are_masked_in_no_time() -> None:
    lines = [f"{n:x}-secret-{n * 7919:x}" for n in range(20_000)]
    text = "".join(f"INFO request {n} took {n * 31} ms\n" for n in range(8000))
    began = time.process_time()
    found = mask(f"{text}{lines[77]} and {lines[19_999]}.", set(lines))
    assert time.process_time() - began < 2.0
    assert found == f"{text}*** and ***."


def test_many_values_of_any_length_are_masked() -> None:
    values = {f"{n}" for n in range(3000)}
    assert mask("a 7 of 29, 2999x 70000 9", values) == "a *** of ***, ***x 70000 ***"


def test_many_short_values_are_masked_in_no_time() -> None:
    values = {f"{n}" for n in range(1000)}
    text = "".join(f"{n} took x{n} ms\n" for n in range(20_000))
    began = time.process_time()
    found = mask(text, values).splitlines()
    assert time.process_time() - began < 2.0
    assert found[999:1001] == ["*** took x999 ms", "1000 took x1000 ms"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a-b c", "*** c"),
        ("x a-b", "x ***"),
        ("a-bc", "a-bc"),
        ("a a-b", "a ***"),
        ("-q-", "-***-"),
    ],
)
def test_short_values_may_hold_other_characters(text: str, masked: str) -> None:
    assert mask(text, {"a-b", "q"}) == masked


def test_a_text_of_more_values_than_are_searched_is_left_out() -> None:
    lines = [f"{n:05}-secret" for n in range(20_000)]
    began = time.process_time()
    assert mask("\n".join(lines), set(lines)) == "(omitted: it may hold 20000 values of Secrets)"
    assert time.process_time() - began < 2.0


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


def pod(phase: str = "Running", *, ready: bool = True, restarts: int = 0) -> PodView:
    container = ContainerView("solr", restarts)
    created = datetime(2026, 1, 1, tzinfo=UTC)
    fields = {"attempt": 2, "node": "n1", "phase": phase, "ready": ready}
    return pod_view("one-solr-0", created, containers=(container,), **fields)


def test_pod_is_described_with_the_end_of_its_containers() -> None:
    solr = ContainerView(
        "solr",
        restarts=3,
        waiting_reason="CrashLoopBackOff",
        waiting_message="back-off",
        ended_reason="OOMKilled",
        exit_code=137,
        termination_message="no\nmemory",
    )
    assert describe_pod(replace(pod(ready=False), containers=(solr,))) == (
        "pod one-solr-0 (solr): Running, not ready, attempt 2, node n1\n"
        "  container solr: 3 restarts, waits: CrashLoopBackOff back-off, ended: OOMKilled,"
        " exit code 137, last words: no memory"
    )


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (pod(), False),
        (pod("Succeeded", ready=False), False),
        (pod(restarts=1), True),
        (pod("Failed", ready=False), True),
        (pod("Pending", ready=False), True),
    ],
)
def test_pods_with_a_problem_come_first(found: PodView, problem: bool) -> None:
    assert has_problem(found) is problem


@pytest.mark.parametrize(
    ("container", "has"),
    [
        (ContainerView("a"), True),
        (ContainerView("a", waiting_reason="ImagePullBackOff"), False),
        (ContainerView("a", 1, waiting_reason="CrashLoopBackOff", ended_reason="Error"), True),
        (ContainerView("init", ended_reason="Completed", exit_code=0), False),
        (ContainerView("a", 1, ended_reason="Completed", exit_code=0), True),
        (ContainerView("a", ended_reason="Error", exit_code=1), True),
    ],
)
def test_logs_of_what_never_ran_or_ended_well_are_not_read(
    container: ContainerView, has: bool
) -> None:
    assert has_log(container) is has


def test_latest_events_are_kept_in_their_order() -> None:
    event = {"metadata": {}, "type": "Warning", "reason": "BackOff"}
    events = [
        event | {"lastTimestamp": f"2026-01-01T00:00:{second:02}Z", "message": f"m{second}"}
        for second in reversed(range(30))
    ]
    lines = describe_events("Pod x", events).splitlines()
    assert lines[0] == "events of Pod x:"
    kept = [f"m{second}" for second in range(30 - MAX_EVENTS, 30)]
    assert [line.rpartition(" ")[2] for line in lines[1:]] == kept
    assert describe_events("Pod x", []) == ""


def test_end_of_a_log_is_kept_in_whole_lines() -> None:
    found = describe_log("x", "first\nsecond\nthird é", max_bytes=16)
    assert found == "log of x, last 2 lines:\nsecond\nthird é"


def test_state_of_the_collection_has_every_replica() -> None:
    replicas = [Replica("shard1", "c1", "n:8983_solr", "http://n", "NRT", "down", leader=True)]
    assert describe_collection("one", ["n:8983_solr"], replicas) == (
        "collection one: 1 live nodes, 1 replicas\n"
        "  live: n:8983_solr\n"
        "  shard1 c1 NRT leader on n:8983_solr: down"
    )


def test_sections_that_do_not_fit_are_counted() -> None:
    found = join_sections(["a" * 50, "b" * 5000, "", "c" * 50], max_bytes=300)
    left_out = "1 sections omitted, limit 300 bytes\n"
    assert found.split("\n\n") == ["a" * 50, "c" * 50, left_out]
    assert len(found) <= 300


def test_yaml_shows_each_line_on_its_own() -> None:
    text = join_sections(["a\tb  \n\x1b[31mred\x1b[0m\r\n\x00c", "d "])
    assert text == "a    b\nred\nc\n\nd\n"
    shown = yaml.safe_dump({"entry": text}, default_style="|").splitlines()
    assert [line.strip() for line in shown[1:]] == text.splitlines()


def entry(minute: int, size: int = 10) -> str:
    return f"{datetime(2026, 1, 1, 0, minute, tzinfo=UTC).isoformat()} " + "x" * size


def test_oldest_entries_go_where_there_is_no_room() -> None:
    entries: dict[str, str] = {}
    for number in (9, 10, 11):  # the order of the keys as text is another one
        entries = add_entry(entries, f"load-{number}", entry(number, 100), max_bytes=300)
    assert list(entries) == ["load-10", "load-11"]
    entries = add_entry(entries, "load-11", entry(12, 1000), max_bytes=300)
    assert list(entries) == ["load-11"]
    assert len(entries["load-11"]) > 1000
