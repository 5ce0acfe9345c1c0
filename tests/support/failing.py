"""Errors of the product, by their reason, and what is wrong with a resource."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.errors import SolrbenchError


@contextmanager
def failing(
    kind: type[SolrbenchError],
    reason: str,
    match: str | None = None,
    *,
    permanent: bool | None = None,
) -> Iterator[pytest.ExceptionInfo[SolrbenchError]]:
    """Check that the block raises an error of this kind and reason, permanent or not if given."""
    with pytest.raises(kind, match=match) as caught:
        yield caught
    assert caught.value.reason == reason
    assert permanent is None or getattr(caught.value, "permanent", None) is permanent


def refused(parse: Callable[[Any], object], body: object) -> list[str]:
    """Return what is wrong with a body, a line for each problem."""
    with pytest.raises(ValidationError) as caught:
        parse(body)
    return problems(caught.value)
