"""The GC log of a JVM, found and read through `/proc`."""

import os
from pathlib import Path

import httpx
import pytest

from solrbench.telemetry import agent, gc_log
from solrbench.telemetry.gc_log import find_gc_log, read_gc_log
from support.servers.in_thread import in_thread

PID = 7


def proc_with(folder: Path, *arguments: str) -> Path:
    (folder / str(PID)).mkdir(parents=True)
    (folder / str(PID) / "cmdline").write_bytes("\0".join(("java", *arguments, "")).encode())
    return folder


@pytest.mark.parametrize(
    ("option", "path"),
    [
        (
            "-Xlog:gc*:file=/var/solr/logs/solr_gc.log:time,uptime:filecount=9,filesize=20M",
            "root/var/solr/logs/solr_gc.log",
        ),
        ('-Xlog:gc*:file="/var/solr/logs/solr_gc.log":time', "root/var/solr/logs/solr_gc.log"),
        ("-Xlog:gc+heap=debug,safepoint:/tmp/gc.log", "root/tmp/gc.log"),
        ("-Xlog:all:file=gc-%p.log", "cwd/gc-7.log"),
    ],
)
def test_file_of_the_collector_is_found_in_the_options(
    tmp_path: Path, option: str, path: str
) -> None:
    proc = proc_with(tmp_path, "-Xmx1g", "-Xlog:safepoint:file=/tmp/other.log", option)
    assert find_gc_log(PID, proc) == tmp_path / str(PID) / path


@pytest.mark.parametrize("option", ["-Xlog:gc*", "-Xlog:gc*:stdout:time", "-Xlog:class:file=/a"])
def test_no_file_is_found_where_none_is_named(tmp_path: Path, option: str) -> None:
    assert find_gc_log(PID, proc_with(tmp_path, option)) is None


def test_no_file_is_found_of_a_process_that_is_gone(tmp_path: Path) -> None:
    assert find_gc_log(PID, tmp_path) is None


def test_log_is_read_from_a_place_on(tmp_path: Path) -> None:
    log = tmp_path / "gc.log"
    log.write_text("before\nafter\n")
    assert read_gc_log(log, None) == (13, "")
    assert read_gc_log(log, 7) == (13, "after\n")


def test_log_that_was_begun_anew_is_read_whole(tmp_path: Path) -> None:
    log = tmp_path / "gc.log"
    log.write_text("new\n")
    assert read_gc_log(log, 1000) == (4, "new\n")


def test_long_log_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_log, "MAX_BYTES", 3)
    log = tmp_path / "gc.log"
    log.write_text("abcdef")
    assert read_gc_log(log, 1) == (6, "bcd")


def test_pipe_and_link_are_refused_at_once(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("/etc/passwd")
    for path in (pipe, link, tmp_path):
        with pytest.raises(OSError, match=r"no regular file|symbolic links|Is a directory"):
            read_gc_log(path, 0)


def test_agent_serves_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "gc.log"
    log.write_text("Pause Young\n")
    monkeypatch.setattr(agent, "find_java", lambda: PID)
    monkeypatch.setattr(agent, "find_gc_log", lambda _: log if log.exists() else None)
    with in_thread(agent.serve(0)) as address, httpx.Client(trust_env=False) as client:
        url = f"http://{address}/gc-log"
        assert client.get(url).json() == {"bytes": 12, "text": ""}
        found = client.get(url, params={"begin": 6}).json()
        assert found == {"bytes": 12, "text": "Young\n"}
        log.unlink()
        missing = client.get(url)
    assert missing.status_code == 404
    assert "no GC log in the options of the JVM" in missing.text
