"""The folder in which a reader types the commands of a page, with the files that it reads."""

import gzip
import itertools
import json
from pathlib import Path

from support.cluster.benchmarks import small
from support.repository import ROOT
from support.results.reports import make_report
from support.shell_blocks import Block, arguments_of, blocks_of, commands_of, save_files
from support.shell_runs import as_solrbench
from support.solr.log_lines import SOLR

_OUTPUT = {"-w", "--write", "--output-file", ">", ">>"}
_READ = {".gz", ".json", ".log", ".yaml"}


def make_folder(page: Path, folder: Path) -> None:
    """Make the folder of a clone, with the files that readers of the page have by then."""
    save_files(page, folder)
    for name in ("charts", "hack"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    blocks = [block for block in blocks_of(page) if block.is_shell]
    for words in (words for block in blocks for words in commands_of(block)):
        for word in arguments_of(as_solrbench(words) or [""])[1:]:
            if not (folder / word).exists():
                if word.endswith("/"):
                    (folder / word).mkdir()
                    (folder / word / "report.json").write_bytes(_content("report.json"))
                elif Path(word).suffix in _READ:
                    (folder / word).write_bytes(_content(word))


def outputs_of(block: Block) -> set[str]:
    words = [*itertools.chain.from_iterable(commands_of(block))]
    return {name for option, name in itertools.pairwise(words) if option in _OUTPUT}


def _content(name: str) -> bytes:
    """Return what is in a file: the log of a Solr, a benchmark, or a report."""
    suffixes = Path(name).suffixes
    if ".log" in suffixes:
        content = f"{SOLR}\n".encode() * 10
    elif ".yaml" in suffixes:
        content = json.dumps(small("reader")).encode()
    else:
        content = make_report().to_json()
    return gzip.compress(content) if suffixes[-1] == ".gz" else content
