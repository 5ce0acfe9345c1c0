"""Check HTML pages by axe-core in Chromium: python -m hack.site.axe AXE_JS PAGE…; 1 if not clean.

AXE_JS is `axe.min.js` of the npm package axe-core, which hack/site/axe fetches; it is no part of a
page. For each page a copy beside it, in frames of two widths, runs the rules on itself and leaves
what they found in the DOM around it, which Chromium prints: a window itself is never narrower than
500 px. The copy has no Content-Security-Policy, as that would forbid the script.
"""

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NARROW, WIDE = 360, 1280
POLICY = re.compile(r'<meta[^>]+http-equiv="?Content-Security-Policy"?[^>]*>', re.IGNORECASE)
_FOUND = re.compile(r'<pre id="axe-found">(.*?)</pre>', re.DOTALL)
_RUN = """
<script src="{axe}"></script>
<script>
addEventListener("load", async () => {{
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
  const done = await axe.run(document, {{runOnly: rules, resultTypes: ["violations"]}});
  const targets = nodes => nodes.map(node => node.target.join(" "));
  const found = done.violations.map(each => [each.id, each.help, targets(each.nodes)]);
  const isWide = each => each.getBoundingClientRect().right > innerWidth + 1;
  const scrolls = document.documentElement.scrollWidth > innerWidth + 1;
  const beyond = scrolls ? [...document.querySelectorAll("body *")].filter(isWide) : [];
  const wide = beyond.slice(0, 5).map(each => each.outerHTML.slice(0, 80));
  const pre = document.createElement("pre");
  pre.id = "axe-found";
  pre.textContent = JSON.stringify({{found, wide, width: innerWidth}});
  top.document.body.append(pre);
}});
</script>
"""


def find_browser() -> str:
    """Return the first of `BROWSERS` that is installed; FileNotFoundError without any."""
    browser = next((path for each in BROWSERS if (path := shutil.which(each))), None)
    if browser is None:
        raise FileNotFoundError(f"none of {', '.join(BROWSERS)} is installed")
    return browser


def pages(places: list[str]) -> list[Path]:
    """Return the pages in files and folders."""
    found: list[Path] = []
    for place in map(Path, places):
        found += sorted(place.rglob("*.html")) if place.is_dir() else [place]
    # That of errors finds its styles on a server only.
    return [page for page in found if page.name != "404.html"]


def run(browser: str, axe: Path, page: Path, width: int) -> dict[str, Any]:
    """Return what the rules found in a page of so many pixels."""
    copy = page.with_name(f".axe-{page.name}")
    text = POLICY.sub("", page.read_text("utf-8")) + _RUN.format(axe=axe.resolve().as_uri())
    copy.write_text(text, "utf-8")
    frame = page.with_name(f".frame-{page.stem}.html")
    size = f'width="{width}" height="1000" style="border: 0"'
    frame.write_text(f'<!doctype html><body><iframe {size} src="{copy.name}"></iframe>', "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    # A mouse, without which the theme takes keyboards for absent, too.
    options += ["--blink-settings=primaryHoverType=2,availableHoverTypes=2"]
    options += ["--virtual-time-budget=20000", f"--window-size={WIDE + 50},1050", "--dump-dom"]
    try:
        done = subprocess.run(
            [browser, *options, frame.resolve().as_uri()],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
    finally:
        copy.unlink()
        frame.unlink()
    found = _FOUND.search(done.stdout)
    if found is None:
        return {"found": [["no-result", "the rules did not end", []]], "wide": []}
    result: dict[str, Any] = json.loads(html.unescape(found[1]))
    return result


def main(axe: str, *places: str) -> int:
    """Print a line for each fault of each page; return how many there are."""
    try:
        browser = find_browser()
    except FileNotFoundError as error:
        raise SystemExit(str(error)) from None
    every, number = pages(list(places)), 0
    for page in every:
        for width in (WIDE, NARROW):
            result = run(browser, Path(axe), page, width)
            lines = [f"{rule}: {text} {targets[:3]}" for rule, text, targets in result["found"]]
            lines += [f"wider than {result['width']} px: {each}" for each in result["wide"]]
            number += len(lines)
            for line in lines:
                print(f"{page.name} at {width} px: {line}", flush=True)
    print(f"{number} violations in {len(every)} pages")
    return number


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
