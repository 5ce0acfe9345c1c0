"""What a workload reads and draws: its files, where they are mounted, their lines, its seeds."""

from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import Any, NamedTuple

from solrbench.api.v1alpha1.request_mix import Order, Queries, Updates
from solrbench.api.v1alpha1.workload import Workload

Parameters = tuple[tuple[str, str], ...]
"""Names and values in order; a name may be repeated."""

WARM_UP_FOLDER = "warm-up"
"""End of the name of the folder with the queries of warm-ups, if they have some of their own. It
lies beside that of all queries: in a volume that is mounted read-only none can be made."""


class ListSource(NamedTuple):
    """A list of queries, inputs or documents."""

    path: str
    """Where it stands in the spec, such as `workload.mix[0].queries`."""
    folder: str
    """Folder below that of all queries where its file is mounted; empty for that folder itself, and
    for warm-ups `WARM_UP_FOLDER`."""
    content: Queries | Updates


def sources(workload: Workload) -> list[ListSource]:
    """Return every list of a workload in the order of its entries, then that of warm-ups."""
    found: list[tuple[str, str, Queries | Updates | None]] = []
    if workload.queries is not None:
        found.append(("workload.queries", "", workload.queries))
    else:
        for index, entry in enumerate(workload.mix or ()):
            path, folder = f"workload.mix[{index}]", folder_of(index)
            inputs = None if entry.transaction is None else entry.transaction.inputs
            found += [
                (f"{path}.queries", folder, entry.queries),
                (f"{path}.updates", folder, entry.updates),
                (f"{path}.transaction.inputs", folder, inputs),
            ]
    found.append(("workload.warmUpQueries", WARM_UP_FOLDER, workload.warm_up_queries))
    return [ListSource(path, folder, each) for path, folder, each in found if each is not None]


def folder_of(entry_index: int) -> str:
    """Return the folder with the file of the entry at `entry_index` of the mix, from 0."""
    return f"mix-{entry_index}"


def workload_seeds(workload: Workload) -> dict[str, int]:
    """Return every seed by its path."""
    seeds = {} if workload.mix is None else {"workload.seed": workload.seed}
    for path, _, content in sources(workload):
        if isinstance(content, Queries):
            seeds[f"{path}.seed"] = content.seed
        elif content.generated is not None:
            seeds[f"{path}.generated.seed"] = content.generated.seed
    return seeds


def once_only_entries(workload: Workload) -> tuple[bool, ...]:
    """Say for each entry of a workload whether its list is gone through once."""
    lists = (
        entry.queries if entry.transaction is None else entry.transaction.inputs
        for entry in workload.entries
    )
    return tuple(each is not None and each.order is Order.ONCE for each in lists)


def parse_time(time: Any) -> float:
    """Return a time in seconds, of a number or a text as in RFC 3339; else a `ValueError`."""
    # In Python, true and false are numbers, and so is NaN, which its JSON knows.
    try:
        if isinstance(time, int | float) and not isinstance(time, bool) and isfinite(time):
            return float(time)
        parsed = datetime.fromisoformat(time)
    except (TypeError, ValueError, OverflowError):  # a whole number may have any length
        raise ValueError('"time" must be a number of seconds, or a time as in RFC 3339') from None
    # Solr's containers write times without a zone, in UTC.
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def flatten_parameters(parameters: Mapping[str, Any]) -> Parameters:
    """Return the parameters of an object of JSON; a list repeats its parameter."""
    return tuple((name, text) for name, value in parameters.items() for text in _texts(name, value))


def plain_text(value: Any) -> str | None:
    """Return a text, number, true or false of JSON as a text; None of anything else."""
    if isinstance(value, str):  # first, as nearly all values are
        return value
    # Before numbers, of which Python takes true and false to be some: Solr wants lower case.
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _texts(name: str, value: Any) -> list[str]:
    if (text := plain_text(value)) is not None:
        return [text]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    raise ValueError(f'"{name}" must be a text, a number, true, false or a list of texts')
