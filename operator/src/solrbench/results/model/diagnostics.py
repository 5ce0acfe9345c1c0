"""What was taken from a JVM for people to read. Part of `StepRunResult`."""

import base64
import gzip
from typing import Self

from solrbench.api.rules import LenientModel

MAX_FILE_BYTES = 512 << 10
"""Of a file before it is packed; a dump of 300 threads has about 300 kB."""

RECORDING = ".jfr"
"""End of the name of a recording of Java Flight Recorder."""

_CUT = b"\n(cut: the file is too long)\n"


class DiagnosticFile(LenientModel):
    """One file."""

    name: str
    """File name, such as `threads-1-base-solr-0.txt`."""
    content: str
    """What it holds: gzip, base64."""

    @classmethod
    def pack(cls, name: str, text: str) -> Self:
        """Return the file; what is beyond `MAX_FILE_BYTES` is left out."""
        whole = text.encode()
        kept = whole if len(whole) <= MAX_FILE_BYTES else whole[:MAX_FILE_BYTES] + _CUT
        return cls.of_packed(name, gzip.compress(kept, mtime=0))

    @classmethod
    def of_packed(cls, name: str, packed: bytes) -> Self:
        """Return the file whose content gzip has packed."""
        return cls(name=name, content=base64.b64encode(packed).decode())

    @property
    def is_text(self) -> bool:
        """Whether it is text, not a recording."""
        return not self.name.endswith(RECORDING)

    def unpack(self) -> bytes:
        """Return what it holds."""
        return gzip.decompress(base64.b64decode(self.content))
