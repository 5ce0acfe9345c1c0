"""Tests of `load.telemetry.flight_recording` and `jvm_attach`."""

import gzip
import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from solrbench.telemetry import jvm_attach
from solrbench.telemetry.flight_recording import (
    MAX_BYTES,
    MAX_PACKED_BYTES,
    discard_recording,
    start_recording,
    take_recording,
)
from solrbench.telemetry.jvm_attach import send_command
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
    monkeypatch.setattr(jvm_attach, "_LISTENING_SECONDS", 0.2)
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


@pytest.mark.parametrize(("seconds", "duration"), [(30, 30), (0, 1), (10**9, 300)])
def test_a_recording_has_an_end_and_no_secrets(seconds: int, duration: int) -> None:
    with fake_jvm(respond) as jvm:
        start_recording(jvm.pid, seconds, jvm.proc)
    stop, start = jvm.commands
    assert stop == "JFR.stop name=solrbench"
    assert f" duration={duration}s " in start
    assert "jdk.InitialEnvironmentVariable#enabled=false" in start


def written(jvm: FakeJvm, content: bytes) -> Path:
    place = jvm.tmp / "solrbench.jfr"
    place.write_bytes(content)
    return place


def test_a_recording_is_taken_once() -> None:
    with fake_jvm(respond) as jvm:
        place = written(jvm, b"FLR\0...")
        assert gzip.decompress(take_recording(jvm.pid, jvm.proc)) == b"FLR\0..."
        assert not place.exists()
        with pytest.raises(OSError, match=NOTHING):
            take_recording(jvm.pid, jvm.proc)
        discard_recording(jvm.pid, jvm.proc)


def test_a_recording_that_ended_by_itself_is_taken_too() -> None:
    with fake_jvm(lambda _: "1\nCould not find solrbench.\n") as jvm:
        written(jvm, b"FLR\0...")
        assert take_recording(jvm.pid, jvm.proc)


def test_what_is_too_large_is_removed() -> None:
    noise = random.Random(1).randbytes(MAX_PACKED_BYTES + 1000)
    with fake_jvm(respond) as jvm:
        for content, words in ((noise, "packed, "), (bytes(MAX_BYTES + 1), "16384 KiB")):
            place = written(jvm, content)
            with pytest.raises(OSError, match=f"{words}.*; record fewer seconds"):
                take_recording(jvm.pid, jvm.proc)
            assert not place.exists()


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
    busy = subprocess.Popen(
        ["java", "-Xmx64m", "-Dsome.password=hunter2", str(source)],
        env=os.environ | {"SOME_SECRET": "hunter3"},
    )
    try:
        for _ in range(100):
            try:
                start_recording(busy.pid, 1)
                break
            except OSError:
                time.sleep(0.1)
        whole = gzip.decompress(take_recording(busy.pid))
        with pytest.raises(OSError, match=NOTHING):
            take_recording(busy.pid)
    finally:
        busy.kill()
        busy.wait()
    assert whole.startswith(b"FLR\0")
    assert b"jdk.ExecutionSample" in whole
    assert b"hunter" not in whole
