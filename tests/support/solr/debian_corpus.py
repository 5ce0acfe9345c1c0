"""A real corpus without any download: the package index of a Debian system.

    apt-cache dumpavail |
    python -m support.solr.debian_corpus --folder corpus --queries 1000 --seed 7

writes `packages.jsonl.gz` (about 63,000 documents on Debian 12) and `queries.txt`, whose words
are drawn from the documents' descriptions. The same index and seed give the same files.
Format of the index: Debian Policy Manual, "Syntax of control files".
"""

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

_WORD = re.compile(r"[a-z]{3,}")
_DEPENDENCY = re.compile(r"\s*([a-z0-9][a-z0-9+.-]*)")
_MAX_TERMS = 3
_FILTERED = 0.2


def parse_stanzas(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each paragraph; a line that begins with a blank continues a field."""
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        text = line.rstrip("\n")
        if not text.strip():
            if fields:
                yield fields
            fields = {}
        elif text[0] in " \t":
            fields[name] += "\n" + text.strip()
        else:
            name, _, value = text.partition(":")
            fields[name] = value.strip()
    if fields:
        yield fields


def to_document(fields: dict[str, str]) -> dict[str, Any]:
    """Return the document of a package, without the fields it does not have."""
    document = {
        "id": f"{fields['Package']}_{fields['Version']}",
        "name_s": fields["Package"],
        "version_s": fields["Version"],
        "section_s": fields.get("Section"),
        "maintainer_s": fields.get("Maintainer"),
        "homepage_s": fields.get("Homepage"),
        "architecture_s": fields.get("Architecture"),
        "size_l": int(fields["Size"]) if "Size" in fields else None,
        "installed_kilobytes_l": (
            int(fields["Installed-Size"]) if "Installed-Size" in fields else None
        ),
        "depends_ss": _dependencies(fields.get("Depends", "")),
        "tags_ss": [tag for tag in re.split(r"[,\s]+", fields.get("Tag", "")) if tag],
        "description_t": fields.get("Description"),
    }
    return {name: value for name, value in document.items() if value not in (None, [])}


def draw_queries(documents: list[dict[str, Any]], count: int, seed: int) -> list[str]:
    """Return `count` lines for a query file: words that stand together in some description.

    Every fifth, on average, is filtered by the section of the package it was drawn from.
    """
    rng = random.Random(seed)
    sources = [(document, words) for document in documents if (words := _words(document))]
    return [_query(rng, *rng.choice(sources)) for _ in range(count)]


def main(arguments: list[str], lines: Iterable[str]) -> None:
    parser = argparse.ArgumentParser(description="Turn a Debian package index into a corpus.")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    by_id = {each["id"]: each for each in map(to_document, parse_stanzas(lines))}
    documents = list(by_id.values())
    options.folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in documents)
    (options.folder / "packages.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    queries = draw_queries(documents, options.queries, options.seed)
    (options.folder / "queries.txt").write_text("".join(f"{query}\n" for query in queries))
    print(f"{len(documents)} documents, {len(queries)} queries in {options.folder}")


def _dependencies(text: str) -> list[str]:
    names = (_DEPENDENCY.match(part) for part in re.split(r"[,|]", text))
    return list(dict.fromkeys(match[1] for match in names if match))


def _words(document: dict[str, Any]) -> list[str]:
    return _WORD.findall(document.get("description_t", "").lower())


def _query(rng: random.Random, document: dict[str, Any], words: list[str]) -> str:
    length = rng.randint(1, min(_MAX_TERMS, len(words)))
    start = rng.randint(0, len(words) - length)
    parameters = {"q": " ".join(words[start : start + length]), "df": "description_t"}
    if "section_s" in document and rng.random() < _FILTERED:
        parameters["fq"] = f'section_s:"{document["section_s"]}"'
    return urlencode(parameters)


if __name__ == "__main__":
    main(sys.argv[1:], sys.stdin)
