"""Files that are kept in the document of a step run."""

import gzip
from pathlib import PurePosixPath

import pytest

from solrbench.contract.foreign import ForeignDataError, read
from solrbench.contract.server_document import MAX_FILE_BYTES, MAX_UNPACKED_BYTES, DiagnosticFile
from solrbench.contract.step_document import StepRunResult
from support.results.builders import make_document


def test_a_file_is_read_back() -> None:
    assert DiagnosticFile.pack("a.txt", "ä line\n").unpack() == "ä line\n".encode()


def test_a_long_file_is_cut_and_says_so() -> None:
    text = DiagnosticFile.pack("a.txt", "x" * (MAX_FILE_BYTES + 1)).unpack()
    assert len(text) < MAX_FILE_BYTES + 100
    assert text.endswith(b"(cut: the file is too long)\n")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (gzip.compress(bytes(MAX_UNPACKED_BYTES + 1), mtime=0), b"more than 16777216 bytes"),
        (b"no gzip", b"broken"),
    ],
)
def test_a_file_that_is_left_out_says_why(content: bytes, problem: bytes) -> None:
    found = DiagnosticFile.of_packed("threads.txt", content).unpack()
    assert found.startswith(b"(omitted: ")
    assert problem in found


def test_a_file_of_the_largest_size_is_read_back() -> None:
    largest = DiagnosticFile.of_packed("a.jfr", gzip.compress(bytes(MAX_UNPACKED_BYTES), mtime=0))
    assert largest.unpack() == bytes(MAX_UNPACKED_BYTES)


def test_content_that_is_no_base64_is_left_out() -> None:
    assert b"omitted" in DiagnosticFile(name="a.txt", content="ä").unpack()


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "..", "a/../../b"])
def test_a_name_leads_to_no_other_folder(name: str) -> None:
    safe = DiagnosticFile(name=name, content="").safe_name
    assert PurePosixPath("folder", safe).parent == PurePosixPath("folder")
    assert safe not in ("", ".", "..")
    document = make_document("one", 1).model_dump_json(by_alias=True)
    with pytest.raises(ForeignDataError, match="id"):
        read(StepRunResult, document.replace('"r1-s0-one"', f'"{name}"').encode())
