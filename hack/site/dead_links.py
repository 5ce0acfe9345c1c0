"""Find dead links of a built site: python -m hack.site.dead_links FOLDER; 1 if there is one.

A script or an image from elsewhere is one, too: the site is read without a network.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.sources: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag leads to, and what leads to it."""
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.targets.append(value)
                if tag in {"script", "img"}:
                    self.sources.add(value)
            elif name == "id" and value:
                self.anchors.add(value)


def read(page: Path) -> Links:
    """Return links and anchors of a page."""
    links = Links()
    links.feed(page.read_text("utf-8"))
    return links


def dead_links(site: Path) -> list[str]:
    """Return each link of a page to a file or an anchor of the site that there is not."""
    pages = {path.resolve(): read(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for page, links in pages.items():
        # Its links count from the root of a server, wherever it is shown.
        if page.name == "404.html":
            continue
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in links.sources and parts.scheme != "data":
                    found.append(f"{page.relative_to(site.resolve())}: {target}")
                continue
            path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            path = path / "index.html" if path.is_dir() else path
            anchor = unquote(parts.fragment)
            missing = anchor and path in pages and anchor not in pages[path].anchors
            if not path.exists() or (missing and not anchor.startswith("__")):
                found.append(f"{page.relative_to(site.resolve())}: {target}")
    return found


if __name__ == "__main__":
    dead = dead_links(Path(sys.argv[1]))
    print("\n".join([*dead, f"{len(dead)} dead links"]))
    sys.exit(bool(dead))
