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


@pytest.mark.parametrize(("pods", "files"), [(1, 3), (2, 5), (3, 3), (5, 2), (7, 3)])
def test_each_document_of_each_file_belongs_to_one_pod(pods: int, files: int) -> None:
    owners: dict[tuple[int, int], list[int]] = {}
    for pod in range(pods):
        own, part = Partition(pod, pods, 4).of_files(files)
        assert len(own) <= -(-files // pods)
        for file in own:
            for position in filter(part.owns, range(50)):
                owners.setdefault((file, position), []).append(pod)
    if files >= pods:  # positions go on over the files of a pod, and all are its own
        assert {file for file, _ in owners} == set(range(files))
    assert len(owners) == 50 * files
    assert all(len(each) == 1 for each in owners.values())
