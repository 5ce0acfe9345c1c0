import json
import subprocess
import sys
from collections import Counter
from itertools import islice

import pytest

from solrbench.load.schedule.user_classes import UserClass, class_sequence, max_users

WEIGHTS = [(1,), (1, 1), (5, 1), (3, 2, 1), (10, 7, 3, 1), (0.5, 1.5), (2, 0)]
BY_WEIGHT = [
    (rounds * int(sum(weights)), [UserClass(f"User{n}", each) for n, each in enumerate(weights)])
    for weights in WEIGHTS
    for rounds in (1, 2, 10)
    if weights != (0.5, 1.5) or rounds > 1
]
MIXED = [UserClass("Admin", 1, 2), UserClass("Reader", 2), UserClass("Zealot", 1, 1)]
CASES = [*BY_WEIGHT, *((users, MIXED) for users in (3, 4, 9, 40))]

ASK_LOCUST = """
import json, sys
from locust import User
from locust.dispatch import UsersDispatcher
from locust.runners import WorkerNode

answers = []
for users, classes in json.load(sys.stdin):
    made = [
        type(name, (User,), {"weight": weight, "fixed_count": fixed})
        for name, weight, fixed in classes
    ]
    dispatcher = UsersDispatcher([WorkerNode("one")], made)
    dispatcher.new_dispatch(users, 1e9)
    answers.append(list(dispatcher)[-1]["one"])
print(json.dumps(answers))
"""


def first(users: int, classes: list[UserClass]) -> Counter[str]:
    return Counter(islice(class_sequence(classes), users))


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_shares_after_whole_rounds_are_those_of_locust() -> None:
    # In a process of its own, since importing Locust patches it.
    ran = subprocess.run(
        [sys.executable, "-c", ASK_LOCUST],
        input=json.dumps(CASES),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(ran.stdout.splitlines()[-1])
    assert len(answers) == len(CASES)
    for (users, classes), answer in zip(CASES, answers, strict=True):
        assert first(users, classes) == Counter(answer), (users, classes)


@pytest.mark.parametrize("users", [1, 2, 3, 10])
def test_fixed_users_come_first(users: int) -> None:
    assert first(users, MIXED)["Reader"] == max(users - 3, 0)


def test_classes_without_weight_bound_the_number_of_users() -> None:
    fixed = (UserClass("Admin", 1, 2), UserClass("Zealot", 1, 1))
    assert max_users(fixed) == 3
    assert len(list(class_sequence(fixed))) == 3
    assert max_users((*fixed, UserClass("Reader"))) is None
    assert max_users((*fixed, UserClass("Unused", 0))) == 3


def test_order_of_the_classes_in_the_file_does_not_matter() -> None:
    classes = [UserClass("A", 2), UserClass("B", 3), UserClass("C", 1, 2)]
    assert list(islice(class_sequence(classes), 50)) == list(
        islice(class_sequence(classes[::-1]), 50)
    )
