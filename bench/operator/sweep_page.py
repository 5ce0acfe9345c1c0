"""The page of a sweep of 500 points: its size, and how soon a browser has drawn it."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread
from urllib.parse import parse_qs, urlsplit

from bench.harness.processes import started, wait_until
from bench.harness.table import Row, at_most
from hack.site.axe import POLICY, find_browser
from solrbench.present.html import render_sweep_html

MAX_MEGABYTES, MAX_SECONDS = 2.0, 2.0
_WAIT_SECONDS = 60.0
# The second frame after the load has all that the first one has drawn.
_REPORT = """
<script>
addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(() => {
  const [first] = performance.getEntriesByName("first-contentful-paint");
  fetch(`/drawn?all=${performance.now()}&first=${first ? first.startTime : -1}`);
})));
</script>
"""


class _Site(ThreadingHTTPServer):
    """Serves one page, and keeps when it says that it is drawn: in ms, all and first."""

    def __init__(self, page: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page = page.encode()
        self.drawn: list[tuple[float, float]] = []

    def wait_for(self, views: int) -> None:
        """Wait until the page was drawn so many times."""
        wait_until(lambda: len(self.drawn) >= views, _WAIT_SECONDS, "a page that is drawn")


class _Handler(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        """Respond with the page, or note what it says."""
        place = urlsplit(self.path)
        if place.path == "/drawn":
            said = parse_qs(place.query)
            self.server.drawn.append((float(said["all"][0]), float(said["first"][0])))
        body = self.server.page if place.path == "/" else b""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def sweep_page(folder: Path, views: int) -> list[Row]:
    """Open the page so many times, each time in a browser that has just begun."""
    # What the tests make is on the path of `make bench` only.
    from support.results.sweep_reports import large_report  # noqa: PLC0415

    text = render_sweep_html(large_report())
    what = "page of a sweep of 500 points"
    size = at_most(f"{what}: size", len(text.encode()) / 1e6, MAX_MEGABYTES, "{:.2f} MB")
    browser = find_browser()
    site = _Site(POLICY.sub("", text) + _REPORT)
    Thread(target=site.serve_forever, daemon=True).start()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000"]
    options += ["--no-first-run", "--remote-debugging-port=0"]
    for view in range(views):
        command = [browser, *options, f"--user-data-dir={folder}/profile-{view}"]
        with started([*command, f"http://127.0.0.1:{site.server_port}/"], folder / "browser.log"):
            site.wait_for(view + 1)
    site.shutdown()
    seconds = sorted(each / 1000 for each, _ in site.drawn)
    first = median(each / 1000 for _, each in site.drawn)
    detail = (
        f"{seconds[0]:.2f} to {seconds[-1]:.2f} s in {views} browsers, first words after"
        f" {first:.2f} s; load of the machine {os.getloadavg()[0]:.1f}"
    )
    return [size, at_most(f"{what}: drawn", median(seconds), MAX_SECONDS, "{:.2f} s", detail)]
