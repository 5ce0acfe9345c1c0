"""Each kind of panel by Grafana's SDK."""

from collections.abc import Callable, Iterable
from typing import Any

from grafana_foundation_sdk.builders import (
    barchart,
    bargauge,
    common,
    heatmap,
    prometheus,
    stat,
    statetimeline,
    table,
    timeseries,
)
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import heatmap as heat
from grafana_foundation_sdk.models.prometheus import PromQueryFormat, QueryEditorMode

from hack.dashboards.panels import (
    BarChart,
    BarGauge,
    ColumnsPanel,
    Heatmap,
    NameStat,
    Panel,
    PanelColumn,
    PanelQuery,
    SeriesPanel,
    Stat,
    StateTimeline,
    TablePanel,
    TimeSeries,
    Words,
)
from hack.dashboards.queries import by

SOURCE = model.DataSourceRef(type_val="prometheus", uid="${datasource}")
PLACE = "place"
"""Label made of all others: what a group of bars is called."""


def build_panel(panel: Panel) -> Any:
    """Return the SDK's builder of a panel, still without a place."""
    figure = _BUILDERS[type(panel)](panel)
    return figure.title(panel.title).description(panel.text).datasource(SOURCE)


def _with_series(figure: Any, panel: SeriesPanel) -> Any:
    figure.unit(panel.unit)
    for letter, query in zip(_letters(), panel.queries, strict=False):
        figure.with_target(_range(letter, query))
    return figure


def _letters() -> Iterable[str]:
    return map(chr, range(ord("A"), ord("Z") + 1))


def _range(letter: str, query: PanelQuery) -> prometheus.Dataquery:
    return _query(letter, query.expression).legend_format(query.legend).range()


def _query(letter: str, expression: str) -> prometheus.Dataquery:
    mode = QueryEditorMode.CODE
    return (
        prometheus.Dataquery().datasource(SOURCE).editor_mode(mode).expr(expression).ref_id(letter)
    )


def _instant(letter: str, expression: str) -> prometheus.Dataquery:
    query = _query(letter, expression).legend_format("__auto")
    return query.instant().format(PromQueryFormat.TABLE)


def _tooltip() -> common.VizTooltipOptions:
    order = shapes.SortOrder.DESCENDING
    return common.VizTooltipOptions().mode(shapes.TooltipDisplayMode.MULTI).sort(order)


def _legend() -> common.VizLegendOptions:
    legend = common.VizLegendOptions().display_mode(shapes.LegendDisplayMode.TABLE)
    return (
        legend.placement(shapes.LegendPlacement.BOTTOM)
        .show_legend(True)
        .calcs(["lastNotNull", "max"])
    )


def _last() -> common.ReduceDataOptions:
    return common.ReduceDataOptions().calcs(["lastNotNull"])


def _time_series(panel: TimeSeries) -> Any:
    return _with_series(timeseries.Panel().legend(_legend()).tooltip(_tooltip()), panel)


def _bar_gauge(panel: BarGauge) -> Any:
    figure = bargauge.Panel().orientation(shapes.VizOrientation.HORIZONTAL).min(0)
    figure.display_mode(shapes.BarGaugeDisplayMode.BASIC).reduce_options(_last())
    return _with_series(figure.value_mode(shapes.BarGaugeValueMode.COLOR), panel)


def _stat(panel: SeriesPanel) -> Any:
    figure = stat.Panel().color_mode(shapes.BigValueColorMode.NONE).reduce_options(_last())
    return _with_series(figure.graph_mode(shapes.BigValueGraphMode.NONE), panel)


def _name_stat(panel: NameStat) -> Any:
    return _stat(panel).text_mode(shapes.BigValueTextMode.NAME)


def _state_timeline(panel: StateTimeline) -> Any:
    hidden = common.VizLegendOptions().show_legend(False)
    figure = statetimeline.Panel().legend(hidden).show_value(shapes.VisibilityMode.NEVER)
    figure.row_height(0.8).mappings([_mapping((("1", "in this phase", "blue"),))])
    return _with_series(figure, panel)


def _heatmap(panel: Heatmap) -> Any:
    figure = heatmap.Panel().calculate(False)
    figure.y_axis(heatmap.YAxisConfig().unit(panel.unit))
    figure.color(heatmap.HeatmapColorOptions().mode(heat.HeatmapColorMode.SCHEME).scheme("Blues"))
    figure.unit("short")
    for letter, query in zip(_letters(), panel.queries, strict=False):
        target = _query(letter, query.expression).legend_format("{{le}}")
        figure.with_target(target.range().format(PromQueryFormat.HEATMAP))
    return figure


def _table(panel: TablePanel) -> Any:
    figure = table.Panel().show_header(True).unit("short")
    figure.sort_by([common.TableSortByFieldState().display_name(panel.sort).desc(False)])
    _with_columns(figure, panel, panel.labels, {})
    for column in panel.columns:
        if column.unit != "short" or column.words:
            figure.override_by_name(column.title, _properties(column))
    return figure


def _properties(column: PanelColumn) -> list[model.DynamicConfigValue]:
    properties = [model.DynamicConfigValue(id_val="unit", value=column.unit)]
    if column.words:
        options = {"type": "color-background", "mode": "basic"}
        properties += [
            model.DynamicConfigValue(id_val="mappings", value=[_mapping(column.words)]),
            model.DynamicConfigValue(id_val="custom.cellOptions", value=options),
        ]
    return properties


def _mapping(words: Words) -> model.ValueMap:
    options = {
        value: model.ValueMappingResult(text=text, color=color) for value, text, color in words
    }
    return model.ValueMap(options=options)


def _bar_chart(panel: BarChart) -> Any:
    figure = barchart.Panel().x_field(PLACE).unit(panel.unit).min(0).fill_opacity(80)
    figure.orientation(shapes.VizOrientation.HORIZONTAL).legend(_legend()).tooltip(_tooltip())
    return _with_columns(figure, panel, (PLACE,), dict.fromkeys(panel.labels, True))


def _with_columns(
    figure: Any, panel: ColumnsPanel, shown: tuple[str, ...], hidden: dict[str, bool]
) -> Any:
    several = len(panel.columns) > 1
    names = {}
    for letter, column in zip(_letters(), panel.columns, strict=False):
        figure.with_target(_instant(letter, _rows(panel, column)))
        names[f"Value #{letter}" if several else "Value"] = column.title
    if several:
        figure.with_transformation(model.DataTransformerConfig(id_val="merge", options={}))
    options = {
        "excludeByName": {"Time": True} | hidden,
        "indexByName": {label: index for index, label in enumerate(shown)},
        "renameByName": names,
    }
    return figure.with_transformation(
        model.DataTransformerConfig(id_val="organize", options=options)
    )


def _rows(panel: ColumnsPanel, column: PanelColumn) -> str:
    if isinstance(panel, TablePanel):
        return by(panel.labels, column.expression)
    labels = tuple(each for each in panel.labels if each not in ("cluster", "namespace"))
    quoted = ", ".join(f'"{label}"' for label in labels)
    joined = f'label_join({column.expression}, "{PLACE}", " ", {quoted})'
    return by((*panel.labels, PLACE), joined)


_BUILDERS: dict[type[Panel], Callable[[Any], Any]] = {
    TimeSeries: _time_series,
    BarGauge: _bar_gauge,
    Stat: _stat,
    NameStat: _name_stat,
    StateTimeline: _state_timeline,
    Heatmap: _heatmap,
    TablePanel: _table,
    BarChart: _bar_chart,
}
