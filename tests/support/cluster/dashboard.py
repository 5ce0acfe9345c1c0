"""The queries of the Grafana dashboards by their panels."""

from hack.dashboards.panel_data import CHART_BOARDS, read_queries


def queries(board: str, **chosen: str) -> dict[str, list[str]]:
    """Return the queries of each panel of a dashboard by its title, with variables put in.

    What is not chosen is as Grafana puts in all values.
    """
    found: dict[str, list[str]] = {}
    for query in read_queries(CHART_BOARDS[board], **chosen):
        found.setdefault(query.panel, []).append(query.expression)
    return found
