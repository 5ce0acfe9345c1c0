"""Files that are kept in the document of a step run."""

from solrbench.contract.server_document import MAX_FILE_BYTES, DiagnosticFile


def test_a_file_is_read_back() -> None:
    assert DiagnosticFile.pack("a.txt", "ä line\n").unpack() == "ä line\n".encode()


def test_a_long_file_is_cut_and_says_so() -> None:
    text = DiagnosticFile.pack("a.txt", "x" * (MAX_FILE_BYTES + 1)).unpack()
    assert len(text) < MAX_FILE_BYTES + 100
    assert text.endswith(b"(cut: the file is too long)\n")
