"""Draw the dashboards of the chart from what Prometheus answers, one HTML page each.

    python -m hack.dashboards.pictures --prometheus http://127.0.0.1:9090 --output build/boards

Where no Grafana can be had, the pages show which panel lies where and what data it has. Positions,
titles, columns and units are the boards' own; lines, bars and tables are drawn plainly.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from hack.dashboards.panel_data import CHART_BOARDS, BoardQuery, PrometheusSource, read_queries

Panel = dict[str, Any]
Row = dict[str, str]
COLORS = ("#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#b877d9", "#37872d", "#705da0")
WIDTH, HEIGHT = 600, 200
MAX_ROWS, MAX_SERIES = 8, 8
STYLE = """
body{background:#111217;color:#ccccdc;font:13px "DejaVu Sans",sans-serif;margin:0;padding:16px}
h1{font-size:20px;font-weight:500}h2{font-size:14px;font-weight:500;margin:0 0 6px}
main{display:grid;grid-template-columns:repeat(24,1fr);grid-auto-rows:34px;gap:8px}
section{background:#181b1f;border:1px solid #2b2e36;border-radius:2px;padding:8px;overflow:hidden}
section.row{background:none;border:0;font-size:16px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:3px 8px;border-bottom:1px solid #2b2e36;white-space:nowrap}
.stats{display:flex;justify-content:space-evenly;text-align:center}
.stat{font-size:38px;color:#73bf69}.bar{height:12px;background:#73bf69}
.name{font-size:11px;color:#9fa7b3;white-space:nowrap;overflow:hidden}p{color:#9fa7b3}
svg{width:100%;height:calc(100% - 56px)}
"""


def format_value(value: float, unit: str) -> str:
    """Return a number as Grafana shows it with one of the units that the boards use."""
    scaled: tuple[float, str]
    match unit:
        case "s":
            scaled = (value, " s") if value >= 1 else (value * 1000, " ms")
        case "percentunit":
            scaled = value * 100, " %"
        case "bytes" | "Bps":
            scaled = value / 2**20, " MiB/s" if unit == "Bps" else " MiB"
        case "reqps" | "ops":
            scaled = value, "/s"
        case _:
            scaled = value, ""
    return f"{scaled[0]:.4g}{scaled[1]}"


def label_of(query: BoardQuery, labels: Row) -> str:
    """Return the name of a series by the legend of its query."""
    text = str(query.target.get("legendFormat", ""))
    if text == "__auto":
        return " ".join(labels.values())
    for name in text.split("{{")[1:]:
        key = name.partition("}}")[0]
        text = text.replace(f"{{{{{key}}}}}", labels.get(key, ""))
    return " ".join(text.split())


def draw_lines(panel: Panel, queries: list[BoardQuery], source: PrometheusSource) -> str:
    """Return a chart of the first series of a panel over time, with a legend."""
    series = [
        (label_of(query, result["metric"]), known)
        for query in queries
        for result in source.ask(query)
        # A quantile of a time without events is NaN, at which Grafana breaks the line off.
        if (known := [(float(x), float(y)) for x, y in result["values"] if isfinite(float(y))])
    ][:MAX_SERIES]
    points = [point for _, line in series for point in line]
    if not points:
        return "<p>No data</p>"
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top = max(y for _, y in points) or 1.0
    lines, legend = "", []
    for (name, line), color in zip(series, COLORS, strict=False):
        path = " ".join(
            f"{WIDTH * (x - left) / ((right - left) or 1):.1f},{HEIGHT * (1 - y / top):.1f}"
            for x, y in line
        )
        lines += f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{path}"/>'
        legend.append(f'<span style="color:{color}">▬</span> {escape(name)}')
    unit = _default_unit(panel)
    shape = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return (
        f'<div class="name">{format_value(top, unit)}</div><svg {shape}>{lines}</svg>'
        f'<div class="name">{" &nbsp; ".join(legend)}</div>'
    )


def draw_bars(panel: Panel, queries: list[BoardQuery], source: PrometheusSource) -> str:
    """Return a bar for the last value of each series; of a heat map, for each of its buckets."""
    named = [
        (label_of(query, result["metric"]), float(result["values"][-1][1]))
        for query in queries
        for result in source.ask(query)
    ]
    if panel["type"] == "heatmap":
        named = list(_bucket_counts(named))
    most = max((value for _, value in named), default=0) or 1.0
    unit = _default_unit(panel)
    return "".join(
        f'<div class="name">{escape(name)}: {format_value(value, unit)}</div>'
        f'<div class="bar" style="width:{100 * value / most:.1f}%"></div>'
        for name, value in named[:MAX_ROWS]
    )


def _bucket_counts(cumulative: Iterable[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """Yield what lies in each bucket that is not empty, by its upper bound."""
    below = 0.0
    for bound, count in sorted(cumulative, key=lambda bucket: float(bucket[0])):
        if count > below:
            yield f"up to {float(bound) * 1000:g} ms", count - below
        below = max(below, count)


def draw_stat(panel: Panel, queries: list[BoardQuery], source: PrometheusSource) -> str:
    """Return the last value of each series in large type, below its name if it has one."""
    shown = ""
    for query in queries:
        for result in source.ask(query)[:MAX_SERIES]:
            _, value = result.get("value") or result["values"][-1]
            text = format_value(float(value), _default_unit(panel))
            name = escape(label_of(query, result["metric"]))
            shown += f'<div><span class="name">{name}</span><div class="stat">{text}</div></div>'
    return f'<div class="stats">{shown}</div>' if shown else "<p>No data</p>"


def draw_table(panel: Panel, queries: list[BoardQuery], source: PrometheusSource) -> str:
    """Return the rows of all queries merged by their labels, with the columns of the panel."""
    organize: dict[str, Any] = {}
    for step in panel.get("transformations", []):
        if step["id"] == "organize":
            organize = step["options"]
    names, units = organize.get("renameByName", {}), _overrides(panel, "unit")
    mapped: dict[str, Row] = {
        column: {
            value: shown["text"]
            for mapping in mappings
            for value, shown in mapping["options"].items()
        }
        for column, mappings in _overrides(panel, "mappings").items()
    }
    rows: dict[tuple[tuple[str, str], ...], Row] = {}
    for query in queries:
        value_name = f"Value #{query.target['refId']}" if len(queries) > 1 else "Value"
        column = names.get(value_name, value_name)
        for result in source.ask(query):
            labels = {key: text for key, text in result["metric"].items() if key != "__name__"}
            value = result.get("value") or result["values"][-1]
            row = rows.setdefault(tuple(sorted(labels.items())), dict(labels))
            text = format_value(float(value[1]), units.get(column, _default_unit(panel)))
            row[column] = mapped.get(column, {}).get(text, text)
    order = organize.get("indexByName", {})
    hidden = {name for name, is_hidden in organize.get("excludeByName", {}).items() if is_hidden}
    used = dict.fromkeys(name for row in rows.values() for name in row)
    columns = sorted((name for name in used if name not in hidden), key=lambda c: order.get(c, 99))
    head = "".join(f"<th>{escape(names.get(name, name))}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(row.get(name, ''))}</td>" for name in columns) + "</tr>"
        for row in list(rows.values())[:MAX_ROWS]
    )
    return f"<table><tr>{head}</tr>{body}</table>" if rows else "<p>No data</p>"


def _overrides(panel: Panel, setting: str) -> dict[str, Any]:
    """Return what a column has for a setting instead of the panel, by the column's name."""
    return {
        override["matcher"]["options"]: each["value"]
        for override in panel.get("fieldConfig", {}).get("overrides", [])
        for each in override["properties"]
        if each["id"] == setting
    }


def _default_unit(panel: Panel) -> str:
    return str(panel.get("fieldConfig", {}).get("defaults", {}).get("unit", "short"))


DRAWINGS = {
    "timeseries": draw_lines,
    "bargauge": draw_bars,
    "heatmap": draw_bars,
    "stat": draw_stat,
}
"""How the kinds of panels are drawn; all others as a table."""


def draw_board(board: dict[str, Any], source: PrometheusSource, **variables: str) -> str:
    """Return the page of a board, with all values of the variables that are not given."""
    queries: dict[str, list[BoardQuery]] = {}
    for query in read_queries(board, **variables):
        queries.setdefault(query.panel, []).append(query)
    sections = ""
    for panel in board["panels"]:
        grid = panel["gridPos"]
        area = f"{grid['y'] + 1}/{grid['x'] + 1}/span {grid['h']}/span {grid['w']}"
        if panel["type"] == "row":
            kind, content = "row", escape(panel["title"])
        else:
            draw = DRAWINGS.get(panel["type"], draw_table)
            drawing = draw(panel, queries.get(panel["title"], []), source)
            kind, content = "panel", f"<h2>{escape(panel['title'])}</h2>{drawing}"
        sections += f'<section class="{kind}" style="grid-area:{area}">{content}</section>\n'
    title = escape(board["title"])
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return (
        f'<!doctype html><html lang="en">{head}<h1>{title}</h1><main>\n{sections}</main></html>\n'
    )


def main(arguments: list[str]) -> int:
    """Write one page for each board of the chart, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--prometheus", metavar="URL", required=True)
    parser.add_argument("--output", metavar="FOLDER", type=Path, required=True)
    parser.add_argument("--benchmark", default=".*", help="one of those that Prometheus knows")
    parser.add_argument("--sweep", default=".*", help="one of those that Prometheus knows")
    chosen = parser.parse_args(arguments)
    chosen.output.mkdir(parents=True, exist_ok=True)
    for uid, board in CHART_BOARDS.items():
        path = chosen.output / f"{uid}.html"
        source, chosen_values = PrometheusSource(chosen.prometheus), vars(chosen)
        variables = {name: chosen_values[name] for name in ("benchmark", "sweep")}
        path.write_text(draw_board(board, source, **variables), "utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
