import gzip
import json
from pathlib import Path

import yaml
from click.testing import CliRunner

from solrbench.cli.main import main
from solrbench.load.workload.query_file import FileQueries
from support.solr.log_lines import ACCESS, SOLR


def run(*arguments: str, text: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["log", *arguments], input=text)
    return result.exit_code, result.output


def test_rates_and_mix_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "solr.log"
    path.write_text("\n".join([SOLR, SOLR, "noise", SOLR.replace("12:00:00", "12:00:03")]))
    code, output = run(str(path))
    assert code == 0
    assert "3 requests from 2026-05-01T12:00:00Z to 2026-05-01T12:00:03Z" in output
    assert "mean                0.75 requests/s" in output
    assert "busiest second      2 requests/s, 2026-05-01T12:00:00Z" in output
    assert "99.99 % of seconds  at most 2 requests/s" in output
    assert "100.0 %         3  /select fq&q&wt" in output
    assert max(map(len, output.splitlines())) <= 80


def test_written_file_can_be_replayed(tmp_path: Path) -> None:
    path, target = tmp_path / "access.log.gz", tmp_path / "queries.jsonl"
    with gzip.open(path, "wt") as file:
        file.write("\n".join([ACCESS, ACCESS, ACCESS.replace("14:00:00", "14:00:02")]))
    code, output = run(str(path), "--write", str(target))
    assert code == 0
    queries = FileQueries(target)
    assert [query.parameters for query in queries] == [(("q", "a"), ("rows", "5"))] * 3
    assert list(queries.recorded_seconds) == [0, 0.5, 2]
    parts = yaml.safe_load(output[output.index("workload:") :])
    assert parts["load"]["steps"][0] == {"name": "as-logged", "replay": {}, "durationSeconds": 3}


def test_standard_input_and_json() -> None:
    code, output = run("-", "-o", "json", text=f"{ACCESS}\n")
    assert code == 0
    shown = json.loads(output)
    assert shown["requests"] == 1
    assert shown["requestsPerSecondQuantiles"]["99"] == 1
    assert shown["mix"] == [{"request": "/select q&rows", "requests": 1}]


def test_log_without_queries_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "other.log"
    path.write_text("nothing\n")
    code, output = run(str(path))
    assert code == 1
    assert "name it by --format" in output
    path.write_text(SOLR)
    code, output = run(str(path), "--handler", "/query")
    assert code == 1
    assert "choose another --handler" in output
