"""Mend the pages of the site for all readers: python -m hack.site.accessible FOLDER.

Sections of the navigation get their names, and empty heads of tables are cells. What scripts of the
theme add later is mended by site.js. `hack/site/axe` checks all of it. Scripts are those that
`hack/site/build` has put beside the pages, for readers without a network.
"""

import html
import re
import sys
from pathlib import Path

_SECTION = re.compile(
    r'aria-labelledby="__nav_[\d_]+_label"(.*?<label class="md-nav__title"[^>]*>.*?</span>)([^<]*)',
    re.DOTALL,
)
_DIAGRAM = '<pre class="mermaid"><code>'
"""What is shown of a diagram until it is drawn, or where nothing draws it."""
_BUNDLE = re.compile(r'<script src="([^"]*)assets/javascripts/bundle')
"""The script of the theme; it loads Mermaid from elsewhere, unless it is there already."""
_SHIM = "https://unpkg.com/iframe-worker/shim"
_EMPTY_HEAD = re.compile(r"<th( [^>]*)?></th>")


def mended(text: str) -> str:
    """Return the text of a page with names for sections, cells for empty heads, its own scripts."""

    def name(section: re.Match[str]) -> str:
        title = html.escape(html.unescape(section[2]).strip())
        return f'aria-label="{title}"{section[1]}{section[2]}'

    if bundle := _BUNDLE.search(text):
        text = text.replace(_SHIM, f"{bundle[1]}iframe-worker.js")
        mermaid = f'<script src="{bundle[1]}mermaid.min.js"></script>'
        if _DIAGRAM in text and mermaid not in text:
            text = text.replace(bundle[0], mermaid + bundle[0])
    text = text.replace(_DIAGRAM, _DIAGRAM.replace("<code>", '<code tabindex="0">'))
    return _EMPTY_HEAD.sub(r"<td\1></td>", _SECTION.sub(name, text))


if __name__ == "__main__":
    for page in sorted(Path(sys.argv[1]).rglob("*.html")):
        page.write_text(mended(page.read_text("utf-8")), "utf-8")
