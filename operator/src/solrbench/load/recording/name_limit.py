"""Request names that are not known beforehand, kept few: each has results and metrics."""

OTHER = "other"
"""Name for the requests of all names that came too late."""

_LONGEST = 100


class NameLimiter:
    """The first names that come are kept, for good.

    Args:
        most: distinct request names, the one for the rest included

    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._names: dict[str, str] = {}

    def limit(self, name: str) -> str:
        """Return the name to count under: `name`, shortened if need be, or `OTHER`."""
        known = self._names.get(name)
        if known is not None:
            return known
        if len(self._names) >= self._most - 1:
            return OTHER
        return self._names.setdefault(name, name[:_LONGEST] or OTHER)
