import gzip
import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from support.solr.debian_corpus import draw_queries, main, parse_stanzas, to_document

INDEX = """\
Package: 0ad
Version: 0.0.26-3
Installed-Size: 28591
Maintainer: Debian Games Team <games@example.org>
Architecture: amd64
Depends: 0ad-data (>= 0.0.26), 0ad-data (<= 0.0.26-3), libc6 (>= 2.34), gcc | c++-compiler
Description: Real-time strategy game of ancient warfare
 It is set between 500 BC and 500 AD.
 .
Homepage: https://play0ad.com/
Tag: game::strategy, interface::graphical,
 uitoolkit::sdl
Section: games
Size: 7891488


Package: empty
Version: 1
""".splitlines(keepends=True)


def test_paragraphs_become_documents() -> None:
    first, second = map(to_document, parse_stanzas(INDEX))
    assert first == {
        "id": "0ad_0.0.26-3",
        "name_s": "0ad",
        "version_s": "0.0.26-3",
        "section_s": "games",
        "maintainer_s": "Debian Games Team <games@example.org>",
        "homepage_s": "https://play0ad.com/",
        "architecture_s": "amd64",
        "size_l": 7891488,
        "installed_kilobytes_l": 28591,
        "depends_ss": ["0ad-data", "libc6", "gcc", "c++-compiler"],
        "tags_ss": ["game::strategy", "interface::graphical", "uitoolkit::sdl"],
        "description_t": (
            "Real-time strategy game of ancient warfare\nIt is set between 500 BC and 500 AD.\n."
        ),
    }
    assert second == {"id": "empty_1", "name_s": "empty", "version_s": "1"}


def test_queries_are_words_of_a_description() -> None:
    documents = [to_document(each) for each in parse_stanzas(INDEX)]
    lines = draw_queries(documents, 200, seed=7)
    assert lines == draw_queries(documents, 200, seed=7)
    assert lines != draw_queries(documents, 200, seed=8)
    queries = [parse_qs(line) for line in lines]
    text = "real time strategy game ancient warfare set between and"
    assert all(set(query["q"][0].split()) <= set(text.split()) for query in queries)
    assert {len(query["q"][0].split()) for query in queries} == {1, 2, 3}
    filtered = [query["fq"] for query in queries if "fq" in query]
    assert 20 < len(filtered) < 60
    assert filtered[0] == ['section_s:"games"']


def test_corpus_has_documents_and_queries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        main(["--folder", str(tmp_path / name), "--queries", "5"], [*INDEX, "\n", *INDEX])
    one, two = tmp_path / "one" / "packages.jsonl.gz", tmp_path / "two" / "packages.jsonl.gz"
    assert one.read_bytes() == two.read_bytes()
    ids = [json.loads(line)["id"] for line in gzip.decompress(one.read_bytes()).splitlines()]
    assert ids == ["0ad_0.0.26-3", "empty_1"]
    assert len((tmp_path / "one" / "queries.txt").read_text().splitlines()) == 5
    assert "2 documents, 5 queries" in capsys.readouterr().out
