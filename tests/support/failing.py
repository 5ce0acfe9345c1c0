"""Errors of the product, by their reason."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

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
