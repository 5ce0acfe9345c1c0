import threading

import pytest

from support.solr_operator import controller
from support.solr_operator.controller import Controller
from support.solr_operator.images import parse_copy, reference


def test_name_queued_several_times_is_reconciled_once() -> None:
    seen: list[str] = []

    def reconcile(name: str) -> bool:
        seen.append(name)
        return False

    found = Controller(reconcile)
    for name in ("a", "a", None, "b"):
        found.enqueue(name)
    found.reconcile_next()
    found.reconcile_next()
    assert seen == ["a", "b"]


def test_change_during_a_reconcile_triggers_another() -> None:
    def reconcile(name: str) -> bool:
        reconciled.append(name)
        if len(reconciled) == 1:
            found.enqueue(name)
        return False

    reconciled: list[str] = []
    found = Controller(reconcile)
    found.enqueue("a")
    found.reconcile_next()
    found.reconcile_next()
    assert reconciled == ["a", "a"]


@pytest.mark.parametrize("failing", [True, False])
def test_reconcile_is_repeated_after_an_error_or_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: bool
) -> None:
    monkeypatch.setattr(controller, "SOON_SECONDS", 0.01)
    reconciled = threading.Semaphore(0)

    def reconcile(name: str) -> bool:
        reconciled.release()
        if failing:
            raise ConnectionError(name)
        return True

    found = Controller(reconcile)
    found.enqueue("a")
    found.reconcile_next()
    found.reconcile_next()
    assert reconciled.acquire(timeout=5)
    assert reconciled.acquire(timeout=5)
    assert ("ConnectionError" in capsys.readouterr().out) is failing


def test_images_under_other_names() -> None:
    copies = dict([parse_copy("library/busybox:1=localhost/bb:2")])
    assert reference({"repository": "library/busybox", "tag": "1"}, copies) == "localhost/bb:2"
    assert reference({"repository": "library/busybox", "tag": "9"}, copies) == "library/busybox:9"
    assert reference({"repository": "plain"}, copies) == "plain"
    with pytest.raises(ValueError, match="NAME=COPY"):
        parse_copy("busybox")
