"""A report as one HTML file with everything in it.

Figures are SVG, drawn by the plotting library in a small JavaScript engine: no browser is needed.
Where the engine is missing there is no drawing: the page then has its tables, and draws its figures
in the browser. The engine may use bounded time and memory, and what it returns is checked: only
elements that draw, and no reference outside of the drawing, come through.

Texts of tenants and targets are hostile: the template escapes them all, and the page's own policy
(Content-Security-Policy) lets no script run but the two that are part of it, and nothing be loaded.
"""

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files

import orjson
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from solrbench.present.figure import Option, ReportFigure
from solrbench.present.page import build_page, build_sweep_page
from solrbench.present.report import Report
from solrbench.present.sweeps.report import SweepReport

_TIME_LIMIT_SECONDS = 60
_MEMORY_LIMIT_BYTES = 512 << 20
_ALLOWED = frozenset({"svg", "g", "path", "rect", "circle", "ellipse", "polyline", "polygon"}) | {
    *("line", "text", "tspan", "defs", "clipPath")
}
_STYLE = re.compile(r"<style\b.*?</style>", re.DOTALL)
# Styles under the mouse and names of parts, which only a live figure needs.
_NOISE = re.compile(
    r' (?:class="zr[^"]*"|pointer-events="[^"]*"|ecmeta_[a-z_]+="[^"]*"|xml:space="[^"]*"|'
    r'style="(?:;|user-select:none;?)*"|'
    # The font of most texts, which the style sheet of the page sets.
    r'style="font-size:12px;font-family:Arial, Helvetica, sans-serif;"|'
    r'xmlns:xlink="[^"]*"|baseProfile="[^"]*"|version="[^"]*")'
)
# Frames of texts, which catch the mouse.
_UNSEEN = re.compile(r'<path (?:(?!stroke=)[^>])*fill="none"></path>')
_TAG = re.compile(r"<\s*/?\s*([^\s/>]+)")
_REFERENCE = re.compile(r"url\((?!#)|href", re.IGNORECASE)

# The engine has no timers and no console, which the library expects of a browser.
_DRAW = """
var setTimeout = () => 0, clearTimeout = () => {}, console = {log() {}, warn() {}, error() {}};
"""
_FUNCTION = """
function draw(text) {
  const {option, width, height} = JSON.parse(text);
  const chart = echarts.init(null, null, {renderer: "svg", ssr: true, width, height});
  chart.setOption(withFunctions(option));
  const drawing = chart.renderToSVGString();
  chart.dispose();
  return [drawing].join("");
}
"""


class DrawingError(RuntimeError):
    """The plotting library did not return a drawing that may stand in a page."""


class Drawer:
    """Draws figures; of the thread that made it only."""

    def __init__(self) -> None:
        self._draw = None
        try:
            import quickjs  # noqa: PLC0415
        except ImportError:  # there is no wheel for Macs with Intel's processors
            return
        context = quickjs.Context()
        # Texts of tenants and targets are in the options: a drawing must not stop the command.
        context.set_memory_limit(_MEMORY_LIMIT_BYTES)
        context.set_time_limit(_TIME_LIMIT_SECONDS)
        for source in (_DRAW, gzip.decompress(library()).decode(), asset("figure.js"), _FUNCTION):
            context.eval(source)
        self._draw = context.get("draw")

    def draw(self, option: Option, width: int, height: int) -> str | None:
        """Return an option of ECharts as an SVG element, sized in px; None without an engine."""
        if self._draw is None:
            return None
        text = orjson.dumps({"option": option, "width": width, "height": height}).decode()
        return _clean(str(self._draw(text)))


_ASSETS = files("solrbench.present") / "assets"


def library() -> bytes:
    """Return the plotting library, compressed by gzip."""
    return (_ASSETS / "echarts.min.js.gz").read_bytes()


def asset(name: str) -> str:
    """Return a text of the assets."""
    return (_ASSETS / name).read_text("utf-8")


def _clean(drawing: str) -> str:
    """Return a drawing without what only a live figure needs; DrawingError if it is not plain."""
    text = _UNSEEN.sub("", _NOISE.sub("", _STYLE.sub("", drawing)).replace("\n", ""))
    # A list of what may stand there, as one of what may not would never be complete.
    strange = {tag for tag in _TAG.findall(text) if tag not in _ALLOWED}
    # Texts between tags may say anything: they are escaped.
    tags = re.sub(r">[^<]*<", "><", text)
    if strange or _REFERENCE.search(tags) or " on" in tags.lower():
        raise DrawingError(f"a drawing has {sorted(strange) or 'references'}")
    return text


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
WIDE, NARROW = 920, 340
"""Widths in px of the two drawings of a figure: of a page, and of a phone."""


def render_html(report: Report) -> str:
    """Return the page of a report."""
    return _render("page.html.j2", build_page(report))


def render_sweep_html(report: SweepReport) -> str:
    """Return the page of a sweep's report."""
    return _render("sweep.html.j2", build_sweep_page(report))


def _render(template: str, page: Mapping[str, object]) -> str:
    scripts = [f"{asset('figure.js')}\n{asset('page.js')}", gzip.decompress(library()).decode()]
    digests = (base64.b64encode(hashlib.sha256(each.encode()).digest()) for each in scripts)
    # The page's own policy lets no other script run, wherever a text might get past the template.
    hashes = " ".join(f"'sha256-{digest.decode()}'" for digest in digests)
    page_template = _environment().get_template(template)
    return page_template.render(
        page=page,
        version=version("solrbench"),
        style=Markup(asset("page.css")),  # noqa: S704 - a file of this package
        script=Markup(scripts[0]),  # noqa: S704 - the same
        library=Markup(base64.b64encode(library()).decode()),  # noqa: S704 - base64
        policy=f"{_POLICY}; script-src {hashes}",
        wide=WIDE,
        narrow=NARROW,
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

    def drawing(figure: ReportFigure, width: int) -> Markup:
        # It is checked: it has only elements that draw, and their texts are escaped.
        return Markup(drawer.draw(figure.option, width, figure.height) or "")  # noqa: S704

    environment.filters |= {"drawing": drawing, "data": _data}
    return environment


def _data(figure: ReportFigure) -> Markup:
    text = orjson.dumps(figure.option).decode()
    # A text with a tag must not end the element that the data stands in.
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c"))  # noqa: S704
