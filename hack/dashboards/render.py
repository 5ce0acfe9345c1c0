"""The JSON files of all dashboards."""

from hack.dashboards.boards import Board, render_board
from hack.dashboards.fleet import FLEET
from hack.dashboards.live import LIVE
from hack.dashboards.results import RESULTS
from hack.dashboards.sweeps import SWEEPS

FOLDER = "charts/solr-benchmark-operator/dashboards"
BOARDS: tuple[Board, ...] = (RESULTS, LIVE, FLEET, SWEEPS)


def render_dashboards() -> dict[str, str]:
    """Return every dashboard by the path of its file below the root of the repository."""
    return {f"{FOLDER}/{board.file}.json": render_board(board) for board in BOARDS}
