"""Mend the pages for readers who do not see them: python -m hack.site.accessible FOLDER.

Sections of the navigation get their names, and empty heads of tables are cells. What scripts of the
theme add later is mended by site.js. `hack/site/axe` checks all of it.
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
_EMPTY_HEAD = re.compile(r"<th( [^>]*)?></th>")


def mended(text: str) -> str:
    """Return the text of a page with names for sections, and cells for empty heads of tables."""

    def name(section: re.Match[str]) -> str:
        title = html.escape(html.unescape(section[2]).strip())
        return f'aria-label="{title}"{section[1]}{section[2]}'

    text = text.replace(_DIAGRAM, _DIAGRAM.replace("<code>", '<code tabindex="0">'))
    return _EMPTY_HEAD.sub(r"<td\1></td>", _SECTION.sub(name, text))


if __name__ == "__main__":
    for page in sorted(Path(sys.argv[1]).rglob("*.html")):
        page.write_text(mended(page.read_text("utf-8")), "utf-8")
