"""Files that are kept in the document of a step run."""

import gzip
from pathlib import PurePosixPath

import pytest

from solrbench.contract.server_document import (
    MAX_FILE_BYTES,
    MAX_UNPACKED_BYTES,
    DiagnosticFile,
)


def test_a_file_is_read_back() -> None:
    assert DiagnosticFile.pack("a.txt", "ä line\n").unpack() == "ä line\n".encode()


def test_a_long_file_is_cut_and_says_so() -> None:
    text = DiagnosticFile.pack("a.txt", "x" * (MAX_FILE_BYTES + 1)).unpack()
    assert len(text) < MAX_FILE_BYTES + 100
    assert text.endswith(b"(cut: the file is too long)\n")


def test_a_small_content_that_would_become_huge_is_cut() -> None:
    bomb = DiagnosticFile.of_packed("threads.txt", gzip.compress(bytes(64 << 20)))
    assert len(bomb.unpack()) == MAX_UNPACKED_BYTES


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "..", "a/../../b"])
def test_a_name_leads_to_no_other_folder(name: str) -> None:
    safe = DiagnosticFile(name=name, content="").safe_name
    assert PurePosixPath("folder", safe).parent == PurePosixPath("folder")
    assert safe not in ("", ".", "..")
