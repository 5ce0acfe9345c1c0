"""The windows of one request name in a stored step run, as columns of numbers.

As objects, each would take a kilobyte; as columns it takes 40 bytes. The stored form is a list of
objects, as of every other series.

Windows of a step run over all request names, and their statistics. Parts of `StepRunResult`.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Self, overload

from pydantic import GetCoreSchemaHandler, SerializationInfo
from pydantic_core import CoreSchema, core_schema

from solrbench.api.rules import LenientModel


class Window(LenientModel):
    """A second of a step run, or `StepRunResult.window_seconds` of it, for one request name."""

    second: int
    """When it began: whole seconds since the step run did."""
    requests: int
    failures: int
    mean_microseconds: int | None = None
    max_microseconds: int | None = None


_FIELDS = tuple(Window.model_fields)
_ALIASES = tuple(field.alias or name for name, field in Window.model_fields.items())
_WIDTH = len(_FIELDS)
_ABSENT = -1

Row = tuple[int, ...]
"""Second, requests, failures, mean and maximum of a window; -1 for none."""


class WindowSeries(Sequence[Window]):
    """Windows in their order; each is made when it is taken."""

    __slots__ = ("_numbers",)

    def __init__(self, windows: Iterable[Window] = ()) -> None:
        self._numbers = array("q")
        for window in windows:
            self._numbers.extend(_number(getattr(window, name)) for name in _FIELDS)

    @classmethod
    def of_rows(cls, rows: Iterable[Row]) -> Self:
        """Return the windows behind `rows`."""
        series = cls()
        for row in rows:
            series._numbers.extend(row)
        return series

    def rows(self) -> Iterator[Row]:
        """Yield the numbers of each window, at a fraction of the price of an object."""
        numbers = iter(self._numbers)
        return zip(*[numbers] * _WIDTH, strict=True)

    def rolled_up(self, width: int) -> Self:
        """Return windows of `width` seconds; a mean is that of all their requests."""
        groups = groupby(self.rows(), lambda row: row[0] // width)
        return self.of_rows(_joined(number * width, list(parts)) for number, parts in groups)

    @overload
    def __getitem__(self, index: int, /) -> Window: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Window]: ...
    def __getitem__(self, index: int | slice, /) -> Window | Sequence[Window]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        place = range(len(self))[index] * _WIDTH
        return _window(tuple(self._numbers[place : place + _WIDTH]))

    def __len__(self) -> int:
        return len(self._numbers) // _WIDTH

    def __iter__(self) -> Iterator[Window]:
        return map(_window, self.rows())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, WindowSeries):
            return self._numbers == other._numbers
        return isinstance(other, list) and list(self) == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"WindowSeries({len(self)} windows)"

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
        if all(isinstance(each, Window) for each in value):
            return cls(value)
        return cls.of_rows(map(_row, value))

    def _serialize(self, info: SerializationInfo) -> list[dict[str, int | None]]:
        names = _ALIASES if info.by_alias else _FIELDS
        return [
            {
                name: None if number == _ABSENT else number
                for name, number in zip(names, row, strict=True)
                if number != _ABSENT or not info.exclude_none
            }
            for row in self.rows()
        ]


def _row(stored: Any) -> Row:
    """Return a stored window as numbers.

    Raises:
        ValueError: if it is none.
    """
    if not isinstance(stored, dict):
        raise ValueError("a window must be an object")  # noqa: TRY004 - as above
    row = tuple(
        stored.get(alias, stored.get(name)) for alias, name in zip(_ALIASES, _FIELDS, strict=True)
    )
    if any(isinstance(each, bool) or not isinstance(each, int | None) for each in row):
        raise ValueError("the numbers of a window must be whole")
    if None in row[:3]:
        raise ValueError("a window must have second, requests and failures")
    return tuple(map(_number, row))


def _number(value: int | None) -> int:
    return _ABSENT if value is None else value


def _window(row: Row) -> Window:
    second, requests, failures, mean, longest = row
    return Window(
        second=second,
        requests=requests,
        failures=failures,
        mean_microseconds=None if mean == _ABSENT else mean,
        max_microseconds=None if longest == _ABSENT else longest,
    )


def _joined(second: int, parts: Sequence[Row]) -> Row:
    _, requests, failures, means, longest = zip(*parts, strict=True)
    whole = sum(requests)
    spent = sum(max(mean, 0) * count for mean, count in zip(means, requests, strict=True))
    return second, whole, sum(failures), spent // whole if whole else _ABSENT, max(longest)


WINDOW_REQUESTS = 1000
"""Requests in a window of the cold-start curve."""

MAX_THOUSANDS = 5000
"""Windows that are kept of one step run, from its first request on."""

MAX_CACHE_SAMPLES = 3600
"""Samples that are kept of one step run; with more, the time between two grows."""

MAX_OUTLIERS = 50
"""Outliers that are listed of one step run: those that are farthest away."""


class RequestWindow(LenientModel):
    """A thousand responses in a row, or as many as were left at the end of the step run."""

    requests: int
    failures: int
    end_seconds: float
    """When the last of them ended, counted from the begin of measuring."""
    seconds: float
    """From the end of the thousand before; of the first one, from the first request sent."""
    mean_microseconds: int
    """Mean service time."""
    max_microseconds: int


class CacheSample(LenientModel):
    """Lookups in one of Solr's caches by one moment, over all cores of the collection."""

    second: float
    """When Solr was sampled, counted from the begin of measuring."""
    cache: str
    """filterCache, queryResultCache or documentCache."""
    lookups: int
    """Since the cores were loaded, over all searchers."""
    hits: int


class EmptiedCaches(LenientModel):
    """Solr's caches when they were emptied; afterwards each core reported no entries."""

    entries_before: int
    """Entries of all caches of the collection until then, over all its cores."""
    cores: int
    """Number of these cores."""
    seconds: float
    """How long it took."""


class EndedEarly(LenientModel):
    """A step run that ended before its time: no response was good any more, or it broke off."""

    second: float
    """When no more requests were begun, counted from the begin of measuring."""
    last_good_second: float
    """When the last good response came, to the second: the failures after it are the first symptom.
    0 if there was none."""
    failures: int
    """Requests that failed since."""
    reason: str | None = None
    """Why it broke off: the reason of the benchmark's failure. None if it was ended since the
    target gave no good response."""
    message: str = ""
    """The same in words."""


class OutlierWindow(LenientModel):
    """A second of a step run that is unlike the others."""

    second: int
    """Whole seconds since the begin of measuring."""
    time: datetime
    """When it began."""
    requests: int
    """Requests that ended in it; 0 if Solr sent no response."""
    mean_microseconds: int | None = None
    """Mean service time; absent if nothing ended."""
    median_microseconds: int
    """Median of the means of all seconds of the step run."""
    deviations: float | None = None
    """Distance of mean and median in scaled median absolute deviations; absent if nothing ended."""
