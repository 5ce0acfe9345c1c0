"""Prepare the pages of the site: python -m hack.site.pages FOLDER.

GitHub shows the same Markdown. Links that leave docs/ lead to the repository on the site.
"""

import json
import re
import shutil
import sys
from pathlib import Path

from hack.generate.docs_index import ROOT, SOURCE, Section, render_llms, sections, title_of

DOCS = ROOT / "docs"
CONFIG = Path(__file__).with_name("zensical.toml")
_LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_the_site(text: str, page: Path) -> str:
    """Return the text of a page with its links as the site needs them; code blocks stay."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(
        part if part.startswith("```") else _LINK.sub(lambda link: _moved(link, page), part)
        for part in parts
    )


def _moved(link: re.Match[str], page: Path) -> str:
    target, anchor = link[1], link[2] or ""
    if target.startswith(("http:", "https:", "mailto:")):
        return link[0]
    path = (page.parent / target).resolve()
    if path == ROOT / "README.md":
        return f"]({_up(page)}about.md{anchor})"
    if not path.is_relative_to(DOCS) or path.is_dir():
        kind = SOURCE.replace("/blob/", "/tree/") if path.is_dir() else SOURCE
        return f"]({kind}/{path.relative_to(ROOT).as_posix()}{anchor})"
    if path.name == "README.md":
        return f"]({target.removesuffix('README.md')}index.md{anchor})"
    return link[0]


def _up(page: Path) -> str:
    return "../" * (len(page.relative_to(DOCS).parts) - 1) if page.is_relative_to(DOCS) else ""


def navigation() -> list[dict[str, object]]:
    """Return the index as the tree of the site: sections, and in them the pages that it has."""
    start: dict[str, object] = {"Home": "index.md"}
    return [start] + [{section.title: _entries(section)} for section in sections()]


def _entries(section: Section) -> list[dict[str, str]]:
    found = []
    for entry in section.entries:
        path = entry.path.removeprefix("docs/").replace("README.md", "index.md")
        if entry.path == "README.md":
            path = "about.md"
        elif not entry.path.startswith("docs/"):
            kind = "blob" if "." in Path(entry.path).name else "tree"
            path = f"{SOURCE.replace('/blob/', f'/{kind}/')}/{entry.path}"
        found.append({entry.title[0].upper() + entry.title[1:]: path})
    # A tutorial is found from the first level.
    tutorials = [entry for entry in found if "tutorials/index.md" in entry.values()]
    if tutorials:
        place = found.index(tutorials[0]) + 1
        pages = sorted((DOCS / "tutorials").glob("[!R]*.md"))
        found[place:place] = [{title_of(page): f"tutorials/{page.name}"} for page in pages]
    return found


def _toml(value: object) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def prepare(folder: Path) -> None:
    """Write pages and configuration of the site below a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    for source in sorted(DOCS.rglob("*")):
        if source.is_dir():
            continue
        target = pages / source.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            shutil.copyfile(source, target)
            continue
        if source.name == "README.md":
            target = target.with_name("index.md")
        target.write_text(on_the_site(source.read_text("utf-8"), source), "utf-8")
    about = (ROOT / "README.md").read_text("utf-8")
    about = on_the_site(about, ROOT / "README.md").replace("](docs/", "](")
    about = about.replace("](README.md", "](index.md").replace("/README.md)", "/index.md)")
    (pages / "about.md").write_text(about, "utf-8")
    for name in ("site.css", "site.js"):
        shutil.copy(CONFIG.with_name(name), pages)
    (pages / "llms.txt").write_text(render_llms(), "utf-8")
    config = CONFIG.read_text("utf-8").replace("#nav#", f"nav = {_toml(navigation())}")
    (folder / "zensical.toml").write_text(config, "utf-8")


if __name__ == "__main__":
    prepare(Path(sys.argv[1]))
