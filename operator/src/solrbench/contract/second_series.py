"""The seconds of a step run for one request name: one form from a worker to the status.

A worker's recorder appends to it, a worker sends it to the master, the master adds those of all
workers, a stored step run holds it, and everything that looks at time reads it. As columns of
numbers a window takes 40 bytes; as an object it would take a kilobyte.

A window of one second is kept while a step is short. Once there are too many, all but the latest
become windows of 10 s, then of 60 s, then of 600 s. The latest stay single seconds: where a step
ends, what was still under way is counted apart by the second. Everything in a window adds up, or
is a maximum, so windows rolled up on several workers and added are those of all requests.

Whole numbers travel as planes: little-endian 64-bit numbers, of which the bytes of equal weight
stand together, since most of them are 0 and then cost nothing; zlib, base64.

numpy is imported where numbers are computed: commands that only read a stored step run have none.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Self, overload

from pydantic import GetCoreSchemaHandler, SerializationInfo
from pydantic_core import CoreSchema, core_schema

from solrbench.contract.windows import Window

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

ROLLED_UP_SECONDS = (1, 10, 60, 600)
"""Widths of windows of steps of any length; each is a multiple of the one before."""

MAX_WINDOWS = 3600
"""Windows that are kept at most of a step of up to 25 days, beside the latest seconds."""

LATEST_SECONDS = 600
"""The latest part of a step, of which single seconds are kept."""


def encode_planes(numbers: Numbers, level: int = -1) -> str:
    """Return whole numbers as planes; `level` is that of zlib."""
    import numpy as np  # noqa: PLC0415

    # Little-endian, whatever the machine is.
    planes = numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T
    return base64.b64encode(zlib.compress(planes.tobytes(), level)).decode()


def decode_planes(stored: str, max_bytes: int, what: str) -> Numbers:
    """Return the numbers behind planes, which may have `max_bytes` at most.

    It raises `ValueError` if they are no planes, or too long; it says that they are not `what`.
    """
    try:
        reader = zlib.decompressobj()
        raw = reader.decompress(base64.b64decode(stored, validate=True), max_bytes)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"not {what}: {error}") from error
    if not reader.eof or len(raw) % 8:
        raise ValueError(f"not {what}: cut off, or too long")
    import numpy as np  # noqa: PLC0415

    planes = np.frombuffer(raw, np.uint8).reshape(8, -1)
    return np.ascontiguousarray(planes.T).view("<i8").ravel().astype(np.int64)


class SecondSums(NamedTuple):
    """One window of one request name."""

    second: int
    """When it began, in whole seconds since measuring did; a request belongs to its end."""
    requests: int
    failures: int
    sum_microseconds: int
    max_microseconds: int

    @property
    def mean_microseconds(self) -> int | None:
        """Mean service time, rounded down as it is stored; None without requests."""
        return self.sum_microseconds // self.requests if self.requests else None


_COLUMNS = len(SecondSums._fields)
_SECOND, _REQUESTS, _MAX = 0, 1, 4
_MAX_BYTES = 64 << 20
_WHAT = "the windows of a step run"
_FIELDS = tuple(Window.model_fields)
_NONE = (None, None)
_ALIASES = tuple(field.alias or name for name, field in Window.model_fields.items())


class SecondSeries(Sequence[SecondSums]):
    """Windows in their order, each of which is made when it is taken.

    One thread appends to it; readers get a finished one.
    """

    __slots__ = ("numbers", "width")

    def __init__(self, windows: Iterable[SecondSums] = (), width: int = 1) -> None:
        self.numbers = array("q")
        """The fields of all windows, one window after another."""
        self.width = width
        """Seconds of the widest window; 1 of a stored step run, which knows its width itself."""
        for window in windows:
            self.append(window)

    @classmethod
    def of_rows(cls, rows: Numbers, width: int = 1) -> Self:
        """Return the windows behind rows with the fields of `SecondSums`."""
        series = cls(width=width)
        series.numbers.frombytes(rows.tobytes())
        return series

    @classmethod
    def merged(cls, parts: Iterable[Self]) -> Self:
        """Return the windows of all `parts` together; those that begin with a second are added."""
        import numpy as np  # noqa: PLC0415

        known = [part for part in parts if len(part)]
        if not known:
            return cls()
        rows = np.concatenate([part.rows for part in known])
        rows = rows[np.argsort(rows[:, _SECOND], kind="stable")]
        return cls.of_rows(_rolled_up(rows, 1), max(part.width for part in known))

    @property
    def rows(self) -> Numbers:
        """A copy of the fields of `SecondSums`, a row for each window."""
        import numpy as np  # noqa: PLC0415

        return np.array(self.numbers, dtype=np.int64).reshape(-1, _COLUMNS)

    @property
    def requests(self) -> int:
        """Requests in all windows."""
        return sum(self.numbers[_REQUESTS::_COLUMNS])

    def append(self, window: SecondSums) -> None:
        """Add the next window; those before are rolled up when they are too many."""
        if len(self) == MAX_WINDOWS + LATEST_SECONDS:
            shorter = self._limited(window.second)
            self.numbers, self.width = shorter.numbers, shorter.width
        self.numbers.extend(window)

    def add(self, window: SecondSums) -> None:
        """Add to the latest window what ended in its second or before, or add the next window."""
        if not self.numbers or window.second > self.numbers[-_COLUMNS]:
            self.append(window)
            return
        latest = len(self.numbers) - _COLUMNS
        for column in range(_REQUESTS, _MAX):
            self.numbers[latest + column] += window[column]
        self.numbers[-1] = max(self.numbers[-1], window.max_microseconds)

    def before(self, end: float) -> Self:
        """Return the windows that begin before a second."""
        series = type(self)(width=self.width)
        number = bisect_left(self.numbers[_SECOND::_COLUMNS], end)
        series.numbers = self.numbers[: number * _COLUMNS]
        return series

    def rolled_up(self, width: int) -> Self:
        """Return windows that are `width` seconds long, a multiple of what they are."""
        return self.of_rows(_rolled_up(self.rows, width), width)

    def _limited(self, second: int) -> Self:
        """Return as few windows as a step keeps whose latest second is this one."""
        width = width_of(second + 1)
        if width == 1:
            return self
        # Wide windows begin at multiples of their width, so that those of all workers add up.
        before = (second - LATEST_SECONDS) // width * width
        old = self.before(before)
        shorter = self.of_rows(_rolled_up(old.rows, width), width if len(old) else self.width)
        shorter.numbers.extend(self.numbers[len(old.numbers) :])
        return shorter

    @overload
    def __getitem__(self, index: int, /) -> SecondSums: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[SecondSums]: ...
    def __getitem__(self, index: int | slice, /) -> SecondSums | Sequence[SecondSums]:
        begins = range(0, len(self.numbers), _COLUMNS)[index]
        if isinstance(begins, range):
            return [SecondSums(*self.numbers[each : each + _COLUMNS]) for each in begins]
        return SecondSums(*self.numbers[begins : begins + _COLUMNS])

    def __len__(self) -> int:
        return len(self.numbers) // _COLUMNS

    def __iter__(self) -> Iterator[SecondSums]:
        # One iterator taken five times in turn: `zip` makes the windows without an index.
        return map(SecondSums._make, zip(*[iter(self.numbers)] * _COLUMNS, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecondSeries) and self.numbers == other.numbers

    # It changes, and is compared by what it holds.
    __hash__ = None  # type: ignore[assignment]

    def encode(self) -> str:
        """Return the form in which a worker sends it, limited for the length of the step.

        Planes of the width, then of each column; seconds as differences, which are nearly all the
        same.
        """
        import numpy as np  # noqa: PLC0415

        series = self._limited(self[-1].second) if len(self) else self
        rows = series.rows
        rows[1:, _SECOND] = np.diff(rows[:, _SECOND])
        return encode_planes(np.concatenate([[series.width], rows.T.ravel()]), level=1)

    @classmethod
    def decode(cls, sent: str) -> Self:
        """Return the windows that a worker sent; a `ValueError` if they are none."""
        import numpy as np  # noqa: PLC0415

        width, *_ = numbers = decode_planes(sent, _MAX_BYTES, _WHAT)
        if len(numbers) % _COLUMNS != 1:
            raise ValueError(f"not {_WHAT}: cut off")
        rows = numbers[1:].reshape(_COLUMNS, -1).T.copy()
        rows[:, _SECOND] = np.cumsum(rows[:, _SECOND])
        return cls.of_rows(rows, int(width))

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        # The schema of the list is only described: each window as an object would take a kilobyte.
        return core_schema.no_info_wrap_validator_function(
            lambda value, _: cls._validate(value),
            handler.generate_schema(list[Window]),
            serialization=core_schema.plain_serializer_function_ser_schema(
                cls._serialize, info_arg=True
            ),
        )

    @classmethod
    def _validate(cls, value: Any) -> Self:
        if isinstance(value, cls):
            return value
        if not isinstance(value, list | tuple):
            raise ValueError("must be a list of windows")  # noqa: TRY004 - pydantic wants it
        series = cls()
        try:
            series.numbers.extend(chain.from_iterable(map(_row, value)))
        except OverflowError as error:
            raise ValueError("the numbers of a window must fit into 64 bits") from error
        return series

    def _serialize(self, info: SerializationInfo) -> list[dict[str, int | None]]:
        """Return the list of objects that a stored step run has, as of every other series."""
        names = _ALIASES if info.by_alias else _FIELDS
        rows = (
            (second, requests, failures, *((spent // requests, longest) if requests else _NONE))
            for second, requests, failures, spent, longest in self
        )
        return [
            {
                name: number
                for name, number in zip(names, row, strict=True)
                if number is not None or not info.exclude_none
            }
            for row in rows
        ]


def width_of(seconds: float) -> int:
    """Return the width of the windows of a step of this length."""
    fitting = (width for width in ROLLED_UP_SECONDS if seconds <= width * MAX_WINDOWS)
    return next(fitting, ROLLED_UP_SECONDS[-1])


def _rolled_up(rows: Numbers, width: int) -> Numbers:
    """Return rows of windows that are `width` seconds long; those of one window are added."""
    import numpy as np  # noqa: PLC0415

    keys = rows[:, _SECOND] // width
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    rolled = np.empty((len(starts), _COLUMNS), dtype=np.int64)
    if len(starts):
        rolled[:, _SECOND] = keys[starts] * width
        rolled[:, _REQUESTS:_MAX] = np.add.reduceat(rows[:, _REQUESTS:_MAX], starts)
        rolled[:, _MAX] = np.maximum.reduceat(rows[:, _MAX], starts)
    return rolled


def _row(window: Any) -> tuple[int, ...]:
    """Return the fields of `SecondSums` of a stored window, else raise a `ValueError`."""
    if not isinstance(window, dict):
        raise ValueError("a window must be an object")  # noqa: TRY004 - pydantic wants it
    numbers = [
        window.get(alias, window.get(name)) for alias, name in zip(_ALIASES, _FIELDS, strict=True)
    ]
    # Python takes true and false for numbers.
    if any(isinstance(each, bool) or not isinstance(each, int | None) for each in numbers):
        raise ValueError("the numbers of a window must be whole")
    if None in numbers[:3]:
        raise ValueError("a window must have second, requests and failures")
    second, requests, failures, mean, longest = (each or 0 for each in numbers)
    # Stored is the mean, rounded down: the sum is short of less than 1 µs for each request.
    return second, requests, failures, mean * requests, longest
