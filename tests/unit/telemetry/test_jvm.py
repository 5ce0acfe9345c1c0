"""Flight recordings, the GC log, the heap after a collection, and thread dumps of a JVM."""

import gzip
import os
import random
import shutil
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import httpx2 as httpx
import pytest

from bench.harness.processes import started
from solrbench.net.token import TOKEN_HEADER
from solrbench.telemetry import agent
from solrbench.telemetry import jvm as jvm_module
from solrbench.telemetry.jvm import (
    MAX_PACKED_BYTES,
    MAX_RECORDING_BYTES,
    count_update_threads,
    find_gc_log,
    format_thread_dump,
    heap_after_gc,
    read_gc_log,
    send_command,
    start_recording,
    take_recording,
)
from support.servers.in_thread import in_thread
from support.servers.jvm import FakeJvm, fake_jvm

NOTHING = "there is no flight recording"


def respond(command: str) -> str:
    return "0\nDone.\n" if command.startswith("JFR.") else "1\njava.lang.Oh:\n  no\n"


def test_a_jvm_is_asked_to_listen_once() -> None:
    with fake_jvm(respond) as jvm:
        assert send_command(jvm.pid, "JFR.check", jvm.proc) == "Done.\n"
        assert send_command(jvm.pid, "JFR.check", jvm.proc) == "Done.\n"
        with pytest.raises(OSError, match=r"^java.lang.Oh: no$"):
            send_command(jvm.pid, "Nonsense", jvm.proc)
        assert [each.name for each in jvm.tmp.iterdir()] == [f".java_pid{jvm.pid}"]


def test_a_jvm_that_does_not_listen_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm_module, "_LISTENING_SECONDS", 0.2)
    with fake_jvm(respond, listens=False) as jvm:
        with pytest.raises(OSError, match="takes no commands"):
            start_recording(jvm.pid, 5, jvm.proc)
        assert list(jvm.tmp.iterdir()) == []


def test_a_jvm_that_would_die_of_the_signal_gets_none() -> None:
    with fake_jvm(respond) as jvm:
        jvm.handle_quit(yes=False)
        with pytest.raises(OSError, match="not up yet"):
            start_recording(jvm.pid, 5, jvm.proc)
        assert not jvm.commands


@pytest.mark.parametrize("said", ["", "0", "oh", "0\n" + "x" * 100_000])
def test_what_a_jvm_says_is_bounded(said: str) -> None:
    with fake_jvm(lambda _: said) as jvm:
        if said.startswith("0"):
            assert len(send_command(jvm.pid, "any", jvm.proc)) < 1 << 18
        else:
            with pytest.raises(OSError, match="the JVM said"):
                send_command(jvm.pid, "any", jvm.proc)


def written(jvm: FakeJvm, content: bytes) -> Path:
    place = jvm.tmp / "solrbench.jfr"
    place.write_bytes(content)
    return place


@pytest.mark.parametrize(("seconds", "duration"), [(30, 30), (0, 1), (10**9, 300)])
def test_a_recording_has_an_end_and_no_secrets(seconds: int, duration: int) -> None:
    with fake_jvm(respond) as jvm:
        before = written(jvm, b"of one that was never taken")
        start_recording(jvm.pid, seconds, jvm.proc)
        assert not before.exists()
    stop, start = jvm.commands
    assert stop == "JFR.stop name=solrbench"
    assert f" duration={duration}s " in start
    assert "jdk.InitialEnvironmentVariable#enabled=false" in start


@pytest.mark.parametrize("said", ["0\nDone.\n", "1\nCould not find solrbench.\n"])
def test_a_recording_is_taken_once_also_if_it_ended_by_itself(said: str) -> None:
    with fake_jvm(lambda _: said) as jvm:
        place = written(jvm, b"FLR\0...")
        assert gzip.decompress(take_recording(jvm.pid, jvm.proc)) == b"FLR\0..."
        assert not place.exists()
        with pytest.raises(OSError, match=NOTHING):
            take_recording(jvm.pid, jvm.proc)


def test_what_is_too_large_is_removed() -> None:
    noise = random.Random(1).randbytes(MAX_PACKED_BYTES + 1000)
    with fake_jvm(respond) as jvm:
        for content, words in ((noise, "packed, "), (bytes(MAX_RECORDING_BYTES + 1), "16384 KiB")):
            place = written(jvm, content)
            with pytest.raises(OSError, match=f"{words}.*; record fewer seconds"):
                take_recording(jvm.pid, jvm.proc)
            assert not place.exists()


def test_packing_a_large_recording_takes_little_memory() -> None:
    """The agent has 64 MiB, and is restarted beside the Solr that is measured if it takes more."""
    noise = random.Random(1).randbytes(MAX_RECORDING_BYTES)
    with fake_jvm(respond) as jvm:
        for content in (noise, bytes(MAX_RECORDING_BYTES)):
            written(jvm, content)
            tracemalloc.start()
            with suppress(OSError):
                take_recording(jvm.pid, jvm.proc)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 4 << 20


def test_a_link_to_another_file_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    with fake_jvm(respond) as jvm:
        (jvm.tmp / "solrbench.jfr").symlink_to(secret)
        with pytest.raises(OSError, match=r"."):
            take_recording(jvm.pid, jvm.proc)
        (jvm.tmp / "solrbench.jfr").mkdir()
        with pytest.raises(OSError, match=r"."):
            take_recording(jvm.pid, jvm.proc)
    assert secret.read_text() == "hunter2"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="no java here; the pods' suite has one")
def test_a_real_jvm_is_recorded(tmp_path: Path) -> None:
    source = tmp_path / "Busy.java"
    source.write_text(
        "class Busy { public static void main(String[] a) throws Exception {"
        " for (int i = 0; i < 6000; i++) Thread.sleep(10); } }"
    )
    command = ["java", "-Xmx64m", "-Dsome.password=hunter2", str(source)]
    with started(command, tmp_path / "log", {"SOME_SECRET": "hunter3"}) as busy:
        for _ in range(100):
            try:
                start_recording(busy.pid, 1)
                break
            except OSError:
                time.sleep(0.1)
        whole = gzip.decompress(take_recording(busy.pid))
        with pytest.raises(OSError, match=NOTHING):
            take_recording(busy.pid)
    assert whole.startswith(b"FLR\0")
    assert b"jdk.ExecutionSample" in whole
    assert b"hunter" not in whole


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


def test_log_is_read_from_a_place_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "gc.log"
    log.write_text("before\nafter\n")
    assert read_gc_log(log, None) == (13, "")
    assert read_gc_log(log, 7) == (13, "after\n")
    # One that was begun anew is read whole, a long one in part.
    assert read_gc_log(log, 1000) == (13, "before\nafter\n")
    monkeypatch.setattr(jvm_module, "MAX_LOG_BYTES", 3)
    assert read_gc_log(log, 1) == (13, "efo")


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
    with (
        in_thread(agent.serve(0, "t")) as address,
        httpx.Client(headers={TOKEN_HEADER: "t"}, trust_env=False) as client,
    ):
        url = f"http://{address}/gc-log"
        assert client.get(url).json() == {"bytes": 12, "text": ""}
        found = client.get(url, params={"begin": 6}).json()
        assert found == {"bytes": 12, "text": "Young\n"}
        log.unlink()
        missing = client.get(url)
    assert missing.status_code == 404
    assert "no GC log in the options of the JVM" in missing.text


@pytest.mark.parametrize(
    ("pools", "found"),
    [
        ({"G1 Eden Space": 0, "G1 Survivor Space": 2, "G1 Old Gen": 30}, 32),
        ({"G1 Eden Space": 0, "G1 Survivor Space": 2, "G1 Old Gen": 0}, None),
        ({"PS-Eden-Space": 1, "PS-Survivor-Space": 2, "PS-Old-Gen": 7}, 10),
        ({"Eden Space": 1, "Survivor Space": 2, "Tenured Gen": 0}, None),
        ({"ZGC Young Generation": 5, "ZGC Old Generation": 0}, None),
        ({"ZGC Young Generation": 5, "ZGC Old Generation": 6}, 11),
        ({"Shenandoah": 9}, 9),
        ({"G1 Survivor Space": 2}, None),
        ({}, None),
    ],
)
def test_the_old_generation_must_have_been_collected(
    pools: dict[str, float], found: float | None
) -> None:
    assert heap_after_gc(pools) == found


BODY = {
    "responseHeader": {"status": 0},
    "system": {
        "threadCount": {"current": 2, "peak": 40, "daemon": 1},
        "threadDump": [
            "thread",
            {
                "id": 31,
                "name": "qtp1-31",
                "state": "BLOCKED",
                "lock": "java.lang.Object@5",
                "owner": "qtp1-32 (32)",
                "cpuTime": "12.5000ms",
                "stackTrace": ["org.apache.solr.A.b(A.java:1)", "java.lang.Thread.run(T.java:2)"],
            },
            "thread",
            {"id": 1, "name": "main", "state": "RUNNABLE"},
        ],
    },
}


def test_each_thread_is_a_paragraph() -> None:
    assert format_thread_dump(BODY) == (
        "2 threads, 40 at most, 1 daemons\n"
        '\n"qtp1-31" #31 cpu=12.5000ms\n'
        "   state: BLOCKED\n"
        "   waiting for java.lang.Object@5\n"
        "   held by qtp1-32 (32)\n"
        "\tat org.apache.solr.A.b(A.java:1)\n"
        "\tat java.lang.Thread.run(T.java:2)\n"
        '\n"main" #1\n'
        "   state: RUNNABLE\n"
    )


def _thread(name: str, *frames: str) -> dict[str, object]:
    return {"id": 1, "name": name, "state": "WAITING", "stackTrace": [*frames, "T.run(T.java:2)"]}


UPDATE = "org.apache.solr.handler.UpdateRequestHandler$1.load(UpdateRequestHandler.java:106)"
LUCENE = "org.apache.lucene.index"


def test_threads_that_index_are_counted_by_what_they_wait_for() -> None:
    threads = (
        _thread("Lucene Merge Thread #3", f"{LUCENE}.ConcurrentMergeScheduler$MergeThread.run"),
        _thread("qtp1-1", f"{LUCENE}.ConcurrentMergeScheduler.doStall", UPDATE),
        _thread("qtp1-2", f"{LUCENE}.DocumentsWriterStallControl.waitIfStalled", UPDATE),
        _thread("qtp1-3", "sun.nio.ch.Net.poll", UPDATE),
        _thread("qtp1-4", UPDATE),
        _thread("qtp1-5", "org.apache.solr.handler.component.SearchHandler.handleRequestBody"),
    )
    dump = [each for thread in threads for each in ("thread", thread)]
    assert count_update_threads({"system": {"threadDump": dump}}) == {
        "merge_threads": 1,
        "update_threads": 4,
        "merge_stalled_percent": 25,
        "flush_stalled_percent": 25,
    }
    # Without updates nothing waits, and no share is known.
    assert count_update_threads(BODY) == {"merge_threads": 0, "update_threads": 0}


@pytest.mark.parametrize("body", [{}, {"system": []}, {"system": {"threadCount": {}}}])
def test_another_response_is_no_dump(body: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError)):
        format_thread_dump(body)
