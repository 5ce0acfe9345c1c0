"""One HTML file with everything in it.

Texts of tenants and targets are hostile: the template escapes them all, and the page's own policy
(Content-Security-Policy) lets no script run but the two that are part of it, and nothing be loaded.
"""

import base64
import gzip
import hashlib
from functools import partial
from importlib.metadata import version

import orjson
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from solrbench.report.drawing import Drawer, asset, library
from solrbench.report.figures.figure import Figure
from solrbench.report.model import Report
from solrbench.report.page.page import Page, build_page
from solrbench.report.page.sweep_page import SweepPage, build_sweep_page
from solrbench.report.sweep.model import SweepReport

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
WIDE, NARROW = 920, 340
"""Widths in px of the two drawings of a figure: of a page, and of a phone."""


def render_html(report: Report) -> str:
    """Return the page of a report."""
    return _render("page.html.j2", build_page(report))


def render_sweep_html(report: SweepReport) -> str:
    """Return the page of a sweep's report."""
    return _render("sweep.html.j2", build_sweep_page(report))


def _render(template: str, page: Page | SweepPage) -> str:
    scripts = [f"{asset('figure.js')}\n{asset('page.js')}", gzip.decompress(library()).decode()]
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        _environment()
        .get_template(template)
        .render(
            page=page,
            version=version("solrbench"),
            style=Markup(asset("page.css")),  # noqa: S704 - a file of this package
            script=Markup(scripts[0]),  # noqa: S704 - the same
            library=Markup(base64.b64encode(library()).decode()),  # noqa: S704 - base64
            policy=f"{_POLICY}; script-src {hashes}",
            wide=WIDE,
            narrow=NARROW,
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    drawer = Drawer()
    environment.filters |= {"drawing": partial(_drawing, drawer), "data": _data}
    return environment


def _drawing(drawer: Drawer, figure: Figure, width: int) -> Markup:
    """Return a figure as SVG; empty where it cannot be drawn."""
    drawing = drawer.draw(figure.option, width, figure.height)
    # It is checked: it has only elements that draw, and their texts are escaped.
    return Markup(drawing or "")  # noqa: S704


def _data(figure: Figure) -> Markup:
    """Return a figure's data as JSON that cannot end the element it stands in."""
    text = orjson.dumps(figure.option).decode()
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c"))  # noqa: S704


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
