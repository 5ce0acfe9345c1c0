"""When diagnostics are taken, and how much of them is kept."""

import random

from solrbench.load.master.diagnostics.recorder import MAX_TEXT_BYTES, DiagnosticsRecorder
from solrbench.results.model.diagnostics import DiagnosticFile


class Source:
    def __init__(self, *files: DiagnosticFile) -> None:
        self.files = list(files)
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def end(self) -> list[DiagnosticFile]:
        return self.files


def file(name: str, size: int = 1) -> DiagnosticFile:
    return DiagnosticFile(name=name, content="x" * size)


def test_files_of_all_sources_are_taken_in_one_repeat_only() -> None:
    sources = Source(file("a")), Source(file("b"))
    recorder = DiagnosticsRecorder(2, sources)
    recorder.mark(1)
    assert recorder.end() == []
    recorder.mark(2)
    assert [each.name for each in recorder.end()] == ["a", "b"]
    assert recorder.end() == []
    assert [each.begun for each in sources] == [1, 1]


def test_step_run_that_is_begun_again_keeps_the_files_of_the_last_time() -> None:
    source = Source(file("a"))
    recorder = DiagnosticsRecorder(1, [source])
    recorder.mark(1)
    recorder.mark(1)
    assert [each.name for each in recorder.end()] == ["a"]
    assert source.begun == 2


def test_files_beyond_the_limit_are_left_out() -> None:
    draw = random.Random(1)
    sizes = [draw.randrange(1, MAX_TEXT_BYTES // 4) for _ in range(20)]
    source = Source(*(file(str(number), size) for number, size in enumerate(sizes)))
    recorder = DiagnosticsRecorder(1, [source])
    recorder.mark(1)
    kept = recorder.end()
    assert sum(len(each.content) for each in kept) <= MAX_TEXT_BYTES
    assert 0 < len(kept) < 20
