"""Every file written and read back, and older exports removed."""

import hashlib
import re
from collections.abc import Iterable

from solrbench.export.destination import Destination
from solrbench.export.errors import ExportError
from solrbench.plan.export_plan import ExportOutcome
from solrbench.reasons.export import ExportReason

_EXPORT = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")
"""Name of a folder that we made; nothing else is ever deleted."""


def write_files(
    destination: Destination, folder: str, files: Iterable[tuple[str, bytes]]
) -> ExportOutcome:
    """Write files and read each back; the last one has the digests of all others.

    Raises:
        ExportError: if one cannot be written, or is not as it was written.

    """
    count = total = 0
    digest = ""
    for name, content in files:
        path = f"{folder}/{name}"
        destination.put(path, content)
        digest = hashlib.sha256(content).hexdigest()
        if hashlib.sha256(destination.get(path)).hexdigest() != digest:
            message = f"{path} in {destination.name} is not what was written; check its storage"
            raise ExportError(ExportReason.EXPORT_DAMAGED, message, permanent=False)
        count, total = count + 1, total + len(content)
    return ExportOutcome(files=count, bytes=total, sha256=digest)


def remove_older(destination: Destination, parent: str, own: str, keep: int) -> int:
    """Delete the exports beside one beyond `keep`, oldest first; return how many.

    Raises:
        ExportError: if one cannot be deleted.

    """
    others = [each for each in destination.folders(parent) if _EXPORT.fullmatch(each)]
    others = [each for each in others if each != own]
    surplus = others[: max(len(others) - (keep - 1), 0)]
    for each in surplus:
        destination.delete_folder(f"{parent}/{each}")
    return len(surplus)
