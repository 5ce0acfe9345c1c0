"""Windows of a step run as columns of numbers, rolled up so that a step of any length is bounded.

A window of one second is kept while a step is short. Once there are too many, all but the latest
become windows of 10 s, then of 60 s, then of 600 s. The latest stay single seconds: where a step
ends, what was still under way is counted apart by the second. Everything in a window adds up, or
is a maximum, so windows rolled up on several workers and added are those of all requests.
"""

import base64
import binascii
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

WIDTHS_SECONDS = (1, 10, 60, 600)
"""Widths of windows, the smallest first; each is a multiple of the one before."""

MAX_WINDOWS = 3600
"""Windows that are kept at most of a step of up to 25 days, beside the latest seconds."""

LATEST_SECONDS = 600
"""The latest part of a step, of which single seconds are kept."""

_COLUMNS = 6
_SECOND, _SECONDS, _MAX = 0, 1, 5
_MAX_BYTES = 64 << 20

Rows = NDArray[np.int64]


class SecondSums(NamedTuple):
    """One window of one request name."""

    second: int
    """When it began, in whole seconds since measuring did; a request belongs to its end."""
    requests: int
    failures: int
    sum_microseconds: int
    max_microseconds: int
    seconds: int = 1
    """How long it is."""


def width_of(seconds: float) -> int:
    """Return the width of the windows of a step of this length."""
    fitting = (width for width in WIDTHS_SECONDS if seconds <= width * MAX_WINDOWS)
    return next(fitting, WIDTHS_SECONDS[-1])


def roll_up(rows: Rows, width: int, before: int | None = None) -> Rows:
    """Return rows of windows that are `width` seconds long; from second `before` on as they are.

    `rows` are ordered by their seconds; those of the same window are added.
    """
    if not len(rows):
        return rows
    old = len(rows) if before is None else int(np.searchsorted(rows[:, _SECOND], before))
    keys = rows[:old, _SECOND] // width
    starts = np.flatnonzero(np.diff(keys, prepend=-1)) if old else np.zeros(0, dtype=np.int64)
    rolled = np.empty((len(starts), _COLUMNS), dtype=np.int64)
    if old:
        rolled[:, _SECOND] = keys[starts] * width
        rolled[:, _SECONDS] = width
        rolled[:, 2:_MAX] = np.add.reduceat(rows[:old, 2:_MAX], starts)
        rolled[:, _MAX] = np.maximum.reduceat(rows[:old, _MAX], starts)
    return np.concatenate([rolled, rows[old:]])


class WindowSums(Sequence[SecondSums]):
    """The windows of one request name, in their order."""

    __slots__ = ("_count", "_rows")

    def __init__(self, windows: Iterable[SecondSums] = ()) -> None:
        self._rows: Rows = np.zeros((64, _COLUMNS), dtype=np.int64)
        self._count = 0
        for window in windows:
            self.append(window)

    @classmethod
    def of_rows(cls, rows: Rows) -> Self:
        """Return windows of rows: second, seconds, requests, failures, sum, maximum."""
        sums = cls()
        sums._rows, sums._count = rows, len(rows)
        return sums

    @property
    def rows(self) -> Rows:
        """Second, seconds, requests, failures, sum and maximum of each window."""
        return self._rows[: self._count]

    @property
    def width(self) -> int:
        """Seconds of the widest window."""
        return int(self.rows[:, _SECONDS].max(initial=1))

    def append(self, window: SecondSums) -> None:
        """Add the next window; those before are rolled up when they are too many."""
        if self._count == MAX_WINDOWS + LATEST_SECONDS:
            self._rows = self._rolled_up(window.second)
            self._count = len(self._rows)
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        second, *sums, seconds = window
        self._rows[self._count] = (second, seconds, *sums)
        self._count += 1

    def _rolled_up(self, second: int) -> Rows:
        """Return the rows of a step whose latest second is this one."""
        width = width_of(second + 1)
        before = (second - LATEST_SECONDS) // width * width
        return self.rows if width == 1 else roll_up(self.rows, width, before)

    @overload
    def __getitem__(self, index: int, /) -> SecondSums: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[SecondSums]: ...
    def __getitem__(self, index: int | slice, /) -> SecondSums | Sequence[SecondSums]:
        if isinstance(index, slice):
            return [_sums(row) for row in self.rows[index]]
        return _sums(self.rows[index])

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[SecondSums]:
        return map(_sums, self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WindowSums) and np.array_equal(self.rows, other.rows)

    __hash__ = None  # type: ignore[assignment]

    def encode(self) -> str:
        """Return the stored form, rolled up for the length of the step.

        Little-endian 64-bit numbers by column, zlib, base64.
        """
        rows = self._rolled_up(self[-1].second) if self._count else self.rows
        # Differences of seconds are nearly all the same, and the bytes of equal weight alike.
        rows = rows.copy()
        rows[1:, _SECOND] = np.diff(rows[:, _SECOND])
        planes = rows.T.ravel().astype("<i8").view(np.uint8).reshape(-1, 8).T
        return base64.b64encode(zlib.compress(planes.tobytes(), 1)).decode()

    @classmethod
    def decode(cls, stored: str) -> Self:
        """Return the windows behind a stored form.

        Raises:
            ValueError: if it is none.
        """
        try:
            reader = zlib.decompressobj()
            raw = reader.decompress(base64.b64decode(stored, validate=True), _MAX_BYTES)
        except (binascii.Error, zlib.error) as error:
            raise ValueError(f"not the windows of a step run: {error}") from error
        if not reader.eof or len(raw) % (8 * _COLUMNS):
            raise ValueError("not the windows of a step run: cut off, or too long")
        planes = np.frombuffer(raw, np.uint8).reshape(8, -1)
        numbers = np.ascontiguousarray(planes.T).view("<i8").reshape(_COLUMNS, -1)
        rows = numbers.T.astype(np.int64)
        rows[:, _SECOND] = np.cumsum(rows[:, _SECOND])
        return cls.of_rows(rows)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate,
            serialization=core_schema.plain_serializer_function_ser_schema(cls.encode),
        )

    @classmethod
    def _validate(cls, value: Any) -> Self:
        if isinstance(value, str):
            return cls.decode(value)
        return value if isinstance(value, cls) else cls(SecondSums(*each) for each in value)


def add_windows(parts: Iterable[WindowSums], width: int, end: float) -> tuple[WindowSums, int]:
    """Return the windows of all parts together, and how many requests lie behind `end`.

    All windows become `width` seconds long, which no part's may exceed. Those that begin at `end`
    or later are left out, and their requests counted.
    """
    rows = np.concatenate(
        [np.zeros((0, _COLUMNS), dtype=np.int64), *(windows.rows for windows in parts)]
    )
    is_late = rows[:, _SECOND] >= end
    late = int(rows[is_late, 2].sum())
    rows = rows[~is_late]
    rows = rows[np.argsort(rows[:, _SECOND], kind="stable")]
    return WindowSums.of_rows(roll_up(rows, width)), late


def _sums(row: Rows) -> SecondSums:
    second, seconds, requests, failures, total, longest = row.tolist()
    return SecondSums(second, requests, failures, total, longest, seconds)
