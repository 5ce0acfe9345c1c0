"""The JSON files of all dashboards."""

from solrbench.dashboards.boards import Board, render_board
from solrbench.dashboards.fleet import FLEET
from solrbench.dashboards.live import LIVE
from solrbench.dashboards.results import RESULTS
from solrbench.dashboards.sweeps import SWEEPS

FOLDER = "charts/solr-benchmark-operator/dashboards"
BOARDS: tuple[Board, ...] = (RESULTS, LIVE, FLEET, SWEEPS)


def render_dashboards() -> dict[str, str]:
    """Return every dashboard by the path of its file below the root of the repository."""
    return {f"{FOLDER}/{board.file}.json": render_board(board) for board in BOARDS}
