"""`solrbench init`: first files, files made of a Solr that is there, and words for a shell."""

import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from solrbench.cli.existing_collection import PASSWORD
from solrbench.cli.init import PLUGIN_SCRIPT
from solrbench.solr.config_set import archive_of
from support.solr.log_lines import SOLR
from support.solr.table_server import BOOKS, TableServer, serving_table
from unit.cli.conftest import assert_one_line, call


@pytest.fixture
def solr() -> Iterator[TableServer]:
    with serving_table() as table:
        yield table


def made(solr: TableServer, *options: str) -> tuple[str, dict[str, Any], list[str]]:
    """Return the text of the file, the spec, and the lines of the queries; it is valid."""
    done = call("init", "--from", solr.url, *options, code=0)
    assert call("validate", "-", input=done.stdout).stdout == "first: valid\n"
    queries, benchmark = yaml.safe_load_all(done.stdout)
    assert queries["metadata"]["name"] == "first-queries"
    return done.stdout, benchmark["spec"], queries["data"]["queries.txt"].splitlines()


def test_the_only_collection_is_measured_as_it_is(solr: TableServer) -> None:
    text, spec, lines = made(solr)
    assert spec["target"]["existing"] == {
        "urls": [solr.url],
        "collectionPolicy": "UseExisting",
        "collectionName": "books",
    }
    head = " ".join(text.replace("#", " ").split())
    assert "Solr 9.10.1, heap 2048 MiB; 2 shards, each with 2 NRT and 1 PULL replicas" in head
    assert "12,345 documents" in text
    assert max(map(len, text.splitlines()[:8])) <= 100
    # Words of text before whole values; neither those of the id nor of a version.
    assert [yaml.safe_load(line)["q"] for line in lines] == [
        "{!term f=title_t}garden",
        '{!term f=title_t}music "\n& {!x}',
        "{!term f=category_s}fiction",
    ]


@pytest.mark.parametrize("provisioner", ["StatefulSet", "SolrOperator"])
def test_solr_cloud_gets_the_same_shape(solr: TableServer, provisioner: str) -> None:
    text, spec, _ = made(solr, "--target", provisioner, "--users", "7")
    assert spec["target"]["solrCloud"] == {
        "provisioner": provisioner,
        "image": {"tag": "9.10.1"},
        "nodes": 3,  # of which three replicas of a shard take one each
        "heap": "2048Mi",
        "zookeeper": {"replicas": 3},
    }
    assert spec["collection"] == {
        "shards": 2,
        "replicas": {"nrt": 2, "pull": 1},
        "router": {"name": "compositeId", "field": "shelf_s"},
        "configSet": {"configMap": {"name": "first-config"}},
        "caches": {
            "filter": {"size": 512},
            "queryResult": {"size": 1000, "initialSize": 64, "autowarmCount": 0},
        },
    }
    assert spec["dataset"]["idField"] == "id"
    assert "config set books-7;" in " ".join(text.replace("#", " ").split())
    assert [step["users"] for step in spec["load"]["steps"]] == [7]


FOLDERS = {
    "/books/admin/file": {"files": {"lang": {"directory": True}, "solrconfig.xml": {"size": 14}}},
    "lang": {"files": {"stopwords_de.txt": {"size": 16}}},
    "solrconfig.xml": "<config/>",
    "lang/stopwords_de.txt": "für\n",
}


def test_solr_cloud_gets_the_config_set(solr: TableServer) -> None:
    solr.replies |= FOLDERS
    done = call("init", "--from", solr.url, "--target", "StatefulSet", code=0)
    _, benchmark, config_map = yaml.safe_load_all(done.stdout)
    name = benchmark["spec"]["collection"]["configSet"]["configMap"]["name"]
    assert config_map["metadata"]["name"] == name
    with ZipFile(BytesIO(archive_of(config_map))) as archive:
        files = {each: archive.read(each).decode() for each in archive.namelist()}
    assert files == {"lang/stopwords_de.txt": "für\n", "solrconfig.xml": "<config/>"}
    assert "downconfig" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110


@pytest.mark.parametrize(
    "change",
    [
        {"lang": 403},
        {"lang": {"files": {"../a": {}}}},
        {"lang": {"files": {str(number): {"directory": True} for number in range(600)}}},
        {"lang/stopwords_de.txt": Random(1).randbytes(1 << 20).decode("latin1")},
    ],
    ids=["no right", "path", "many", "large"],
)
def test_config_set_that_cannot_be_taken_is_asked_for(
    change: dict[str, Any], solr: TableServer
) -> None:
    solr.replies |= FOLDERS | change
    text, _, _ = made(solr, "--target", "StatefulSet")
    assert "`bin/solr zk downconfig`" in " ".join(text.replace("#", " ").split())


def test_queries_are_those_of_a_log(solr: TableServer, tmp_path: Path) -> None:
    log = tmp_path / "solr.log"
    log.write_text("\n".join([SOLR.replace("q=", "q=%C3%A9%E2%80%A8%7F")] * 3000), "utf-8")
    _, _, lines = made(solr, "--log", str(log))
    assert len(lines) == 2000
    assert "\u00e9\u2028\x7f" in yaml.safe_load(lines[0])["params"]["q"]
    log.write_text("nothing\n", "utf-8")
    assert "none of the first" in call("init", "--from", solr.url, "--log", str(log)).stderr
    log.write_text(SOLR.replace("/select", "/browse"))
    assert "no request of /select" in call("init", "--from", solr.url, "--log", str(log)).stderr


def test_password_goes_to_solr_and_a_reference_to_the_file(
    solr: TableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "Rocks:and Røll")
    inside = "http://solr.search.svc:8983/solr"
    text, spec, _ = made(solr, "--user", "ann", "--url", inside)
    assert spec["target"]["existing"]["urls"] == [inside]
    assert spec["target"]["existing"]["basicAuth"] == {"secret": {"name": "first-login"}}
    assert "Rocks" not in text
    assert all(str(each).startswith("Basic ") for each in solr.authorizations)


@pytest.mark.parametrize(
    "changes",
    [
        {"/books/admin/luke": 403},
        {"/books/admin/luke": {"fields": {"a": 1}}},
        {"title_t": {"terms": []}},
        {"title_t": {"terms": {"title_t": [7, 7]}}, "category_s": {"terms": {"category_s": []}}},
    ],
)
def test_collection_without_words_has_one_query_and_a_warning(
    changes: dict[str, Any], solr: TableServer
) -> None:
    solr.replies |= changes
    done = call("init", "--from", solr.url, code=0)
    assert "no words of 'books' were found; give queries by --log" in done.stderr
    assert '{"q": "*:*"}' in done.stdout


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"LIST": 401, "CLUSTERSTATUS": 401}, "HTTP 401; give a user who may read"),
        ({"CLUSTERSTATUS": 403}, "HTTP 403; give a user who may read"),
        ({"LIST": {"collections": []}}, "has 0 collections; choose by --collection: none"),
        ({"LIST": {"collections": ["a", "b\n#"]}}, "choose by --collection: a, b??"),
        ({"LIST": 404}, "check host and port; the URL of a node ends with /solr"),
        ({"LIST": []}, "cannot be read: HTTP 200, no content type, 2 bytes: must be a mapping"),
        ({"LIST": {"collections": 5}}, "collections: "),
        ({"/books/config": {}}, "config: "),
        (
            {"CLUSTERSTATUS": {"cluster": {"collections": {"books": BOOKS | {"shards": {}}}}}},
            "collection books has no replicas",
        ),
        (
            {"LIST": (400, {"error": {"msg": "Solr instance is not running in SolrCloud mode."}})},
            "give the URL of a SolrCloud",
        ),
        ({"/books/select": (500, {"error": {"msg": "oops"}})}, "oops; see the log of Solr"),
    ],
)
def test_failure_is_one_line_with_a_remedy(
    changes: dict[str, Any], said: str, solr: TableServer
) -> None:
    solr.replies |= changes
    assert_one_line(call("init", "--from", solr.url), 1, said)


def test_version_that_is_not_measured_is_refused(solr: TableServer) -> None:
    old = {"lucene": {"solr-spec-version": "8.11.2"}}
    solr.replies["/admin/info/system"] = {
        name: body | old for name, body in solr.replies["/admin/info/system"].items()
    }
    result = call("init", "--from", solr.url)
    assert_one_line(result, 1, "Solr 8.11.2 cannot be measured; 9 and 10 can")


def test_collection_that_there_is_not_is_named_with_those_that_are(solr: TableServer) -> None:
    line = assert_one_line(call("init", "--from", solr.url, "--collection", "boks"), 1)
    assert line.endswith("has no collection boks; choose by --collection: books")


def test_url_without_a_server() -> None:
    for url in ("http://127.0.0.1:9/solr", "solr:8983"):
        assert_one_line(call("init", "--from", url), 1, "check host and port")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--collection", "books"], "--collection needs --from"),
        (["--from", "http://a/solr", "--heap", "1Gi"], "--heap is read from Solr"),
        (["--from", "http://me:secret@a/solr"], "--from must not hold a user"),
        (["--target", "existing"], "--target existing needs --url"),
        (["--url", "http://a/solr"], "--url does not go with --target StatefulSet"),
        (["--target", "existing", "--url", "b", "--nodes=2"], "--nodes does not go with --target"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], said: str) -> None:
    done = call("init", "--yes", *options, code=2)
    assert said in done.stderr


@pytest.mark.parametrize(
    "options",
    [(), ("--target=SolrOperator",), ("--target=existing", "--url=http://solr.a.svc:8983/solr")],
)
def test_first_file_is_valid(options: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "first.yaml"
    assert call("init", "--yes", "-w", str(file), *options).exit_code == 0
    assert call("validate", "-f", str(file)).stdout == "first: valid\n"
    again = call("init", "--yes", "-w", str(file), code=1)
    assert "is there already" in again.stderr


def test_first_file_with_a_bad_answer_is_refused() -> None:
    assert_one_line(call("init", "--yes", "--heap", "lots"), 1, "spec.target.solrCloud.heap")
    no_yaml = "the new file:5: not readable as YAML: mapping values are not allowed here"
    assert_one_line(call("init", "--yes", "--name", "a: b"), 1, no_yaml)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_has_a_script_for_each_shell(shell: str) -> None:
    assert "_SOLRBENCH_COMPLETE" in call("completion", shell).stdout


@pytest.mark.slow
def test_kubectl_completes_commands(tmp_path: Path) -> None:
    program = tmp_path / "solrbench"
    program.write_text(
        f"#!{sys.executable}\nfrom solrbench.cli.main import main\nmain(prog_name='solrbench')\n",
        "utf-8",
    )
    script = tmp_path / "kubectl_complete-solrbench"
    script.write_text(PLUGIN_SCRIPT, "utf-8")
    for each in (program, script):
        each.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [str(script), "re"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["report", "resume", ":4"]
