import pytest

from solrbench.dataset.sources.partition import Partition


@pytest.mark.parametrize(
    ("pods", "batch", "total"), [(1, 10, 25), (2, 10, 95), (3, 7, 50), (5, 9, 4)]
)
def test_each_position_belongs_to_one_pod(pods: int, batch: int, total: int) -> None:
    parts = [Partition(pod, pods, batch) for pod in range(pods)]
    owners = [[part.pod for part in parts if part.owns(position)] for position in range(total)]
    assert owners == [[position // batch % pods] for position in range(total)]


@pytest.mark.parametrize(
    ("pods", "batch", "total"), [(1, 10, 25), (2, 10, 95), (3, 7, 50), (5, 9, 4)]
)
def test_ranges_are_the_owned_positions(pods: int, batch: int, total: int) -> None:
    for pod in range(pods):
        part = Partition(pod, pods, batch)
        positions = [position for piece in part.ranges(total) for position in piece]
        assert positions == [position for position in range(total) if part.owns(position)]
