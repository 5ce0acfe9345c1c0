from collections import Counter

import pytest

from solrbench.load.schedule.user_placement import UserPlacement


@pytest.mark.parametrize("lost", [(), (0,), (2,), (1, 3), (3, 2, 1)])
def test_every_user_has_a_worker_that_is_there(lost: tuple[int, ...]) -> None:
    placement = UserPlacement(4)
    for index in lost:
        placement = placement.after_loss(index)
    assert set(placement.remaining_workers) == set(range(4)) - set(lost)
    counts = Counter(placement.worker_of(user) for user in range(1000))
    assert counts.total() == 1000
    assert set(counts) == set(placement.remaining_workers)


def test_users_of_one_lost_worker_are_spread_evenly() -> None:
    placement = UserPlacement(4).after_loss(2)
    assert {index: len(users) for index, users in placement.reassigned_users(120).items()} == {
        0: 10,
        1: 10,
        3: 10,
    }


def test_only_users_of_the_lost_worker_move() -> None:
    before = UserPlacement(5).after_loss(1)
    after = before.after_loss(4)
    moved = {user for users in after.reassigned_users(57).values() for user in users}
    for user in range(57):
        if user in moved:
            assert before.worker_of(user) == 4
        else:
            assert before.worker_of(user) == after.worker_of(user)
    for index, users in after.reassigned_users(57).items():
        assert all(after.worker_of(user) == index for user in users)
