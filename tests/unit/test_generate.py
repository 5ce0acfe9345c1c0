"""Files that are made from the models."""

from pathlib import Path

import pytest

from solrbench import generate
from solrbench.api.kinds import BENCHMARK

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]


def test_files_on_disk_are_up_to_date() -> None:
    assert generate.diff_files(REPOSITORY) == ""


def test_every_file_is_the_same_bytes_each_time() -> None:
    assert generate.render_files() == generate.render_files()


def test_check_passes_on_what_was_written(tmp_path: Path) -> None:
    assert generate.main(["--root", str(tmp_path)]) == 0
    assert generate.main(["--check", "--root", str(tmp_path)]) == 0


def test_check_fails_with_a_diff_of_what_was_edited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate.main(["--root", str(tmp_path)])
    path = tmp_path / generate.crd_file(BENCHMARK)
    path.write_text(path.read_text("utf-8").replace("sbench", "bench"), "utf-8")
    assert generate.main(["--check", "--root", str(tmp_path)]) == 1
    diff = capsys.readouterr().err
    assert "-    - bench\n" in diff
    assert "+    - sbench\n" in diff


def test_check_fails_when_a_file_is_missing(tmp_path: Path) -> None:
    assert generate.main(["--check", "--root", str(tmp_path)]) == 1
    assert list(tmp_path.iterdir()) == []
