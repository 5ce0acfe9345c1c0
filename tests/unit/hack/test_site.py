"""Pages of the site, llms.txt, and what finds dead links."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from hack.generate.docs_index import Section, render_llms, sections
from hack.site.accessible import mended
from hack.site.dead_links import dead_links
from hack.site.pages import on_the_site, prepare
from support.repository import ROOT, copy_parts, write_programs


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    prepare(folder)
    return folder


def pages_of(tree: object) -> list[str]:
    """Return every page that a tree of navigation leads to."""
    if isinstance(tree, str):
        return [tree]
    values = tree.values() if isinstance(tree, dict) else tree
    return [page for each in values for page in pages_of(each)]  # type: ignore[attr-defined]


def test_llms_has_every_page_of_the_index_with_its_question() -> None:
    text = render_llms()
    entries = [entry for section in sections() for entry in section.entries]
    assert len(entries) > 50
    everything = subprocess.check_output(["git", "ls-files", "*.md"], cwd=ROOT, text=True).split()
    pages = [page for page in everything if not page.startswith((".github/", "tests/"))]
    assert [page for page in pages if f"/{page})" not in text] == ["docs/README.md"]
    assert all(f"/{entry.path}): {entry.question}\n" in text for entry in entries)
    assert all((ROOT / entry.path).exists() for entry in entries)
    assert text == (ROOT / "llms.txt").read_text("utf-8")


def test_navigation_is_by_the_sections_of_the_index(site: Path) -> None:
    project = tomllib.loads((site / "zensical.toml").read_text("utf-8"))["project"]
    titles = [next(iter(each)) for each in project["nav"]]
    assert titles == ["Home", *(section.title for section in sections())]
    own = [page for page in pages_of(project["nav"]) if not page.startswith("https:")]
    assert all((site / "pages" / page).is_file() for page in own)
    assert "tutorials/first-benchmark.md" in own


def test_links_of_pages_stay_on_the_site_or_lead_to_the_repository(site: Path) -> None:
    pages = site / "pages"
    for page in pages.rglob("*.md"):
        text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s#]+)", text):
            if not target.startswith(("http:", "https:", "mailto:")):
                assert (page.parent / target).exists(), f"{page.relative_to(pages)}: {target}"


def test_code_is_left_as_it_is() -> None:
    page = ROOT / "docs/faq.md"
    text = "[a](../SECURITY.md)\n```sh\n[b](../SECURITY.md)\n```\n"
    moved = on_the_site(text, page)
    assert moved.count("https://github.com/solrbench/solrbench/blob/main/SECURITY.md") == 1
    assert "```sh\n[b](../SECURITY.md)\n```" in moved


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="here"><a href="b.html#there">b</a>', "utf-8")
    (tmp_path / "b.html").write_text('<a href="a.html#here"></a><img src="no.png">', "utf-8")
    assert dead_links(tmp_path) == ["a.html: b.html#there", "b.html: no.png"]
    (tmp_path / "no.png").touch()
    (tmp_path / "b.html").write_text('<p id="there"><a href="https://x.example/">x</a>', "utf-8")
    assert dead_links(tmp_path) == []
    (tmp_path / "b.html").write_text('<p id="there"><script src="https://x.example/a.js">', "utf-8")
    assert dead_links(tmp_path) == ["b.html: https://x.example/a.js"], "it needs a network"


def test_sections_are_those_of_the_index() -> None:
    assert sections()[0].title == "Start"
    assert all(isinstance(each, Section) and each.entries for each in sections())


SECTION = """<nav class="md-nav" aria-labelledby="__nav_2_label" aria-expanded="false">
<label class="md-nav__title" for="__nav_2"><span class="md-icon"></span>
  Read &amp; use
</label></nav><nav aria-labelledby="mine"></nav>
<th>Field</th><th></th><th style="a"></th><pre class="mermaid"><code>flowchart</code></pre>"""


def test_sections_get_names_and_empty_heads_become_cells() -> None:
    text = mended(SECTION)
    assert '<nav class="md-nav" aria-label="Read &amp; use" aria-expanded="false">' in text
    assert '<nav aria-labelledby="mine">' in text
    assert '<th>Field</th><td></td><td style="a"></td>' in text
    assert '<code tabindex="0">flowchart' in text
    assert mended(text) == text


def test_build_calls_the_programs_of_a_clean_clone(tmp_path: Path) -> None:
    build = (ROOT / "hack/site/build").read_text("utf-8")
    copy_parts(tmp_path, "hack/site/build", "hack/lib")
    for file in ("iframe-worker-*/package/shim/index.js", "mermaid-*/package/dist/mermaid.min.js"):
        version = re.search(rf"{file.partition('-*')[0]} ([0-9.]+)\)", build)
        assert version
        script = tmp_path / "cache" / file.replace("*", version[1])
        script.parent.mkdir(parents=True)
        script.touch()
        script.parents[1].joinpath("package.json").write_text("{}", "utf-8")
    program = '#!/bin/sh\nmkdir -p build/site/pages\necho "${0##*/} $*" >>"$CALLS"\n'
    write_programs(tmp_path / ".venv/bin", dict.fromkeys(("python", "zensical"), program))
    calls = tmp_path / "calls"
    environment = {"PATH": os.environ["PATH"], "CALLS": str(calls)}
    environment["SOLRBENCH_CACHE"] = str(tmp_path / "cache")
    command = [str(tmp_path / "hack/site/build")]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    programs = [line.partition(" ")[0] for line in calls.read_text("utf-8").splitlines()]
    assert programs == ["python", "zensical", "python", "python"]
    scripts = {path.name for path in (tmp_path / "build/site/pages").iterdir()}
    assert scripts == {"iframe-worker.js", "mermaid.min.js"}


def test_pages_load_scripts_from_beside_them() -> None:
    scripts = (
        '<script src="https://unpkg.com/iframe-worker/shim"></script>'
        '<script src="../assets/javascripts/bundle.1.min.js"></script>'
    )
    own = '<script src="../iframe-worker.js"></script>'
    text = mended(scripts)
    assert text.startswith(own + '<script src="../assets')
    text = mended('<pre class="mermaid"><code>flowchart</code></pre>' + scripts)
    assert f'{own}<script src="../mermaid.min.js"></script><script src="../assets' in text
    assert mended(text) == text


BUILD = """#!/usr/bin/env bash
mkdir -p build/site/html
cp text build/site/html/index.html
cp text build/site/html/llms.txt
"""


@pytest.mark.slow
def test_each_release_has_a_folder_and_the_newest_is_the_first_page(tmp_path: Path) -> None:
    copy_parts(tmp_path, "hack/site/versions", "hack/lib/arguments.sh", "hack/lib/common.sh")
    (tmp_path / ".gitignore").write_text("build/\n")
    person = {
        f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    own = {"PYTHON": "/usr/bin/python3", "GIT_CONFIG_GLOBAL": "/dev/null"}
    environment = os.environ | person | own

    def run(*command: str) -> None:
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)

    run("git", "init", "-q")
    for text in ("before", "0.9.0", "0.10.0", "now"):
        (tmp_path / "text").write_text(text, "utf-8")
        if text != "before":  # the first release had no site
            write_programs(tmp_path, {"hack/site/build": BUILD})
        run("git", "add", "-A")
        run("git", "commit", "-qm", text)
        if text != "now":
            run("git", "tag", "v0.1.0" if text == "before" else f"v{text}")
    run("hack/site/versions")
    site = tmp_path / "build/site/versions"
    folders = {
        path.name: (path / "index.html").read_text() for path in site.iterdir() if path.is_dir()
    }
    assert folders == {"next": "now", "0.9.0": "0.9.0", "0.10.0": "0.10.0"}
    listed = json.loads((site / "versions.json").read_text())
    assert [(each["version"], each["aliases"]) for each in listed] == [
        ("next", []),
        ("0.10.0", ["latest"]),
        ("0.9.0", []),
    ]
    assert 'href="0.10.0/index.html"' in (site / "index.html").read_text()
    assert (site / "llms.txt").read_text() == "0.10.0"
