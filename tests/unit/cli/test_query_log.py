import gzip
import json
from pathlib import Path

import pytest
import yaml

from solrbench.load.workload.query_file import FileQueries
from support.solr.log_lines import ACCESS, SOLR
from unit.cli.conftest import assert_one_line, call


def test_rates_and_mix_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "solr.log"
    path.write_text("\n".join([SOLR, SOLR, "noise", SOLR.replace("12:00:00", "12:00:03")]))
    output = call("log", str(path)).stdout
    assert "3 requests from 2026-05-01T12:00:00Z to 2026-05-01T12:00:03Z" in output
    assert "mean                0.75 requests/s" in output
    assert "busiest second      2 requests/s, 2026-05-01T12:00:00Z" in output
    assert "99.99 % of seconds  at most 2 requests/s" in output
    assert "100.0 %         3  /select fq&q&wt" in output
    assert max(map(len, output.splitlines())) <= 80


def test_names_of_strangers_reach_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_text(ACCESS.replace("q=a", "q=a&%1b]0;owned%07%0aFAKE=1"))
    output = call("log", str(path)).stdout
    assert "\x1b" not in output
    assert not any(line.startswith("FAKE") for line in output.splitlines())


@pytest.mark.parametrize("handler", ["/select", "/browse"])
def test_written_file_can_be_replayed(tmp_path: Path, handler: str) -> None:
    path, target = tmp_path / "access.log.gz", tmp_path / "queries.jsonl"
    with gzip.open(path, "wt") as file:
        lines = "\n".join([ACCESS, ACCESS, ACCESS.replace("14:00:00", "14:00:02")])
        file.write(lines.replace("/select", handler))
    output = call("log", str(path), "--write", str(target), "--handler", handler).stdout
    queries = FileQueries(target)
    assert [query.parameters for query in queries] == [(("q", "a"), ("rows", "5"))] * 3
    assert list(queries.recorded_seconds) == [0, 0.5, 2]
    parts = yaml.safe_load(output[output.index("workload:") :])
    assert parts["workload"].get("handler", "/select") == handler
    assert parts["load"]["steps"][0] == {"name": "as-logged", "replay": {}, "durationSeconds": 3}


def test_log_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"time": 1, "params": {"q": "a"}}')
    result = call("log", str(path), "--write", str(tmp_path / "." / path.name))
    assert (result.exit_code, path.stat().st_size) == (2, 33)
    assert "is a log to be read" in result.stderr
    result = call("log", str(path), "--write", str(tmp_path / "other"), "--handler", "all")
    assert (result.exit_code, "must go with one --handler" in result.stderr) == (2, True)


def test_standard_input_and_json() -> None:
    shown = json.loads(call("log", "-", "-o", "json", input=f"{ACCESS}\n").stdout)
    assert shown["requests"] == 1
    assert shown["requestsPerSecondQuantiles"]["99"] == 1
    assert shown["mix"] == [{"request": "/select q&rows", "requests": 1}]


def test_log_without_queries_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "other.log"
    path.write_text("nothing\n")
    assert_one_line(call("log", str(path)), 1, "name it by --format")
    path.write_text('{"time": 1767225600000, "params": {"q": "a"}}')
    assert_one_line(call("log", str(path)), 1, '"time" is in seconds')
    packed = tmp_path / "cut.gz"
    packed.write_bytes(gzip.compress(SOLR.encode())[:-9])
    assert_one_line(call("log", str(packed)), 1, "cut.gz: not readable as gzip: ")
    path.write_text(SOLR)
    kept = tmp_path / "queries.jsonl"
    kept.write_text("kept")
    result = call("log", str(path), "--handler", "/query", "--write", str(kept))
    assert_one_line(result, 1, "choose another --handler")
    assert kept.read_text() == "kept"
