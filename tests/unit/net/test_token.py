import logging

import pytest

from solrbench.net.token import TokenCheck


def test_refusals_are_counted_and_logged_less_and_less(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    check = TokenCheck("t")
    assert check.admits("t", "/stop")
    assert check.admits(b"t", "/stop")
    assert not any(check.admits(None, "/" + "x" * 999) for _ in range(100))
    assert check.refused == 100
    assert len(caplog.messages) == 7
    assert all(len(each) < 120 for each in caplog.messages)


def test_a_check_without_a_token_admits_none() -> None:
    assert not any(TokenCheck("").admits(each, "/") for each in (None, "", b"", "t"))
