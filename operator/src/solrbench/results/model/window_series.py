"""The windows of one request name in a stored step run, as columns of numbers.

As objects, each would take a kilobyte; as columns it takes 40 bytes. The stored form is a list of
objects, as of every other series.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import GetCoreSchemaHandler, SerializationInfo
from pydantic_core import CoreSchema, core_schema

from solrbench.api.rules import LenientModel
from solrbench.results.stats.window_sums import WindowSums, roll_up


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
_ABSENT = -1

Columns = NDArray[np.int64]


class WindowSeries(Sequence[Window]):
    """Windows in their order; each is made when it is taken."""

    __slots__ = ("columns",)

    def __init__(self, windows: Iterable[Window] = ()) -> None:
        rows = [tuple(_number(getattr(each, name)) for name in _FIELDS) for each in windows]
        self.columns: Columns = np.array(rows, dtype=np.int64).reshape(-1, len(_FIELDS))
        """A row for each window: second, requests, failures, mean and maximum, -1 for none."""

    @classmethod
    def of_columns(cls, columns: Columns) -> Self:
        """Return windows of rows as `columns` has them."""
        found = cls()
        found.columns = columns
        return found

    @classmethod
    def of_sums(cls, sums: WindowSums) -> Self:
        """Return the windows with means in place of sums."""
        second, _, requests, failures, total, longest = sums.rows.T
        means = np.where(requests > 0, total // np.maximum(requests, 1), _ABSENT)
        longest = np.where(requests > 0, longest, _ABSENT)
        return cls.of_columns(np.column_stack([second, requests, failures, means, longest]))

    def rolled_up(self, width: int) -> Self:
        """Return windows of `width` seconds."""
        second, requests, failures, means, longest = self.columns.T
        total = np.maximum(means, 0) * requests
        rows = np.column_stack([second, np.ones_like(second), requests, failures, total, longest])
        return self.of_sums(WindowSums.of_rows(roll_up(rows, width)))

    @overload
    def __getitem__(self, index: int, /) -> Window: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Window]: ...
    def __getitem__(self, index: int | slice, /) -> Window | Sequence[Window]:
        if isinstance(index, slice):
            return [_window(row) for row in self.columns[index]]
        return _window(self.columns[index])

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Window]:
        return map(_window, self.columns)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, WindowSeries):
            return np.array_equal(self.columns, other.columns)
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
        return cls.of_columns(
            np.array([_row(each) for each in value], dtype=np.int64).reshape(-1, len(_FIELDS))
        )

    def _serialize(self, info: SerializationInfo) -> list[dict[str, int | None]]:
        names = _ALIASES if info.by_alias else _FIELDS
        return [
            {
                name: None if number == _ABSENT else number
                for name, number in zip(names, row, strict=True)
                if number != _ABSENT or not info.exclude_none
            }
            for row in self.columns.tolist()
        ]


def _row(stored: Any) -> tuple[int, ...]:
    """Return a stored window as numbers.

    Raises:
        ValueError: if it is none.

    """
    if not isinstance(stored, dict):
        raise ValueError("a window must be an object")  # noqa: TRY004 - as above
    found = tuple(
        stored.get(alias, stored.get(name)) for alias, name in zip(_ALIASES, _FIELDS, strict=True)
    )
    if any(isinstance(each, bool) or not isinstance(each, int | None) for each in found):
        raise ValueError("the numbers of a window must be whole")
    if None in found[:3]:
        raise ValueError("a window must have second, requests and failures")
    return tuple(map(_number, found))


def _number(value: int | None) -> int:
    return _ABSENT if value is None else value


def _window(row: Columns) -> Window:
    second, requests, failures, mean, longest = row.tolist()
    return Window(
        second=second,
        requests=requests,
        failures=failures,
        mean_microseconds=None if mean == _ABSENT else mean,
        max_microseconds=None if longest == _ABSENT else longest,
    )
