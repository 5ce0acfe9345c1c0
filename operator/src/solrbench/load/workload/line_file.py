"""Lines of a file that stays on disk: of each, only where it begins is kept in memory."""

import os
import weakref
from array import array
from pathlib import Path

_FOUR_BYTES = 1 << 32


class LineFile:
    """The lines of a file that were noted, by their numbers from 0.

    Lines are read one by one with pread(2), from the page cache of the node. Mapped, the file would
    count as the worker's memory as far as it is read.
    """

    def __init__(self, path: Path) -> None:
        """Begin without lines; 4 bytes are kept of each, 8 if the file has 4 GiB or more.

        Raises:
            OSError: the file cannot be read

        """
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._descriptor)
        self._size = os.fstat(self._descriptor).st_size
        self._offsets = array("I" if self._size < _FOUR_BYTES else "Q")

    def __len__(self) -> int:
        return len(self._offsets)

    def note(self, offset: int) -> None:
        """Note the next line, which begins at a byte of the file."""
        self._offsets.append(offset)

    def clear(self) -> None:
        """Forget all lines."""
        del self._offsets[:]

    def __getitem__(self, number: int) -> bytes:
        """Return a line without its end.

        Raises:
            IndexError: there is no such line
            OSError: the file cannot be read

        """
        offsets = self._offsets
        start = offsets[number]
        stop = offsets[number + 1] if number + 1 < len(offsets) else self._size
        # Lines that were not noted, such as comments, may stand before the next one.
        return os.pread(self._descriptor, stop - start, start).partition(b"\n")[0]
