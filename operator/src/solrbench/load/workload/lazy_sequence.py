"""Sequences whose items are made when they are taken."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

Item_co = TypeVar("Item_co", covariant=True)


class LazySequence(Sequence[Item_co]):
    """A sequence that holds what its items are made of."""

    @abstractmethod
    def item(self, index: int) -> Item_co:
        """Return the item of an index from 0 on."""

    @overload
    def __getitem__(self, index: int, /) -> Item_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Item_co]: ...
    def __getitem__(self, index: int | slice, /) -> Item_co | Sequence[Item_co]:
        if isinstance(index, slice):
            return [self.item(each) for each in range(*index.indices(len(self)))]
        return self.item(index)
