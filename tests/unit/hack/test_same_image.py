"""The same commit gives the same image: what the Dockerfile promises, and the comparison of two."""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from support.repository import ROOT, copy_parts, write_programs

SCRIPT = ROOT / "hack/release/image_files.py"
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def archive(
    folder: Path, name: str, files: dict[str, str], time: int = 7, created: int = 1
) -> Path:
    """Write an image of one layer with these files as an OCI archive."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for file, text in files.items():
            entry = tarfile.TarInfo(file)
            entry.size, entry.mtime = len(text), time
            tar.addfile(entry, io.BytesIO(text.encode()))
    blobs: dict[str, bytes] = {}

    def add(content: bytes) -> dict[str, str]:
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"digest": f"sha256:{digest}"}

    config = add(json.dumps({"created": created}).encode())
    body = {"config": config, "layers": [add(layer.getvalue())]}
    blobs["index.json"] = json.dumps({"manifests": [add(json.dumps(body).encode())]}).encode()
    path = folder / name
    with tarfile.open(path, "w") as tar:
        for blob, content in blobs.items():
            entry = tarfile.TarInfo(blob)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def compare(*archives: Path) -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), *map(str, archives)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def test_equal_images(tmp_path: Path) -> None:
    files = {"opt/a": "1", "opt/b": "2"}
    one, other = (archive(tmp_path, name, files) for name in ("one", "other"))
    assert compare(one, other) == (0, "both images are equal\n")


@pytest.mark.parametrize(
    ("files", "time", "created", "said"),
    [
        ({"opt/a": "1", "opt/b": "3"}, 7, 1, "layer 1: opt/b: content"),
        ({"opt/a": "1", "opt/b": "2"}, 8, 1, "layer 1: opt/a: time"),
        ({"opt/a": "1"}, 7, 1, "layer 1: opt/b: in one only"),
        ({"opt/b": "2", "opt/a": "1"}, 7, 1, "layer 1: order or compression"),
        ({"opt/a": "1", "opt/b": "2"}, 7, 2, "configuration, such as times"),
    ],
)
def test_difference_of_two_images_is_named(
    files: dict[str, str], time: int, created: int, said: str, tmp_path: Path
) -> None:
    one = archive(tmp_path, "one", {"opt/a": "1", "opt/b": "2"})
    code, text = compare(one, archive(tmp_path, "other", files, time, created))
    assert code == 1
    assert said in text


def test_nothing_in_the_image_is_compiled_by_pip_or_left_by_apt() -> None:
    """What pip compiles has the times of files in it, and the logs of apt have times, too."""
    stages = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]
    commands = {stage.splitlines()[0]: stage.replace("\\\n", " ").splitlines() for stage in stages}
    assert "apt-get" not in "".join(commands["${BASE}"])
    for name in ("${BASE} AS dependencies", "${BASE}"):
        installs = [line for line in commands[name] if "pip install" in line]
        assert len(installs) == 1
        assert "--no-compile" in installs[0]
        assert "compileall -qf --invalidation-mode unchecked-hash" in installs[0]


@pytest.mark.slow
def test_modules_are_compiled_alike_each_time(tmp_path: Path) -> None:
    """By a process of its own, at another time; the path is that of the image each time."""
    digests = []
    for time in (1, 2):
        folder = tmp_path / "solrbench"
        shutil.rmtree(folder, ignore_errors=True)
        source = ROOT / "operator/src/solrbench/stats"
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file in folder.rglob("*.py"):
            os.utime(file, (time, time))
        command = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(folder)]
        subprocess.run([sys.executable, *command], check=True, env={"PYTHONHASHSEED": "0"})
        compiled = sorted(folder.rglob("*.pyc"))
        assert len(compiled) > 10
        digests.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in compiled])
    assert digests[0] == digests[1]


@pytest.mark.parametrize(("daemon", "builder"), [(0, "docker buildx build"), (1, "buildah")])
def test_docker_builds_where_its_daemon_answers(daemon: int, builder: str, tmp_path: Path) -> None:
    files = {
        "hack/cluster/lib/common.sh": "",
        "hack/cluster/lib/images.sh": "ensure_built() { echo buildah; exit 3; }\n",
        "programs/git": "#!/bin/sh\necho 1\n",
        "programs/docker": f'#!/bin/sh\n[ $1 = info ] && exit {daemon}\necho "docker $*"; exit 3\n',
    }
    write_programs(tmp_path, files)
    copy_parts(tmp_path, "hack/release/same-image", "hack/lib/arguments.sh", "hack/lib/common.sh")
    environment = os.environ | {"PATH": f"{tmp_path / 'programs'}:{os.environ['PATH']}"}
    command = [str(tmp_path / "hack/release/same-image")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert builder in done.stdout
