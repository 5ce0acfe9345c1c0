"""What is wrong with a resource, in the form that the API server uses too."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails


def problems(error: ValidationError) -> list[str]:
    """Return one line for each problem: the path of the field, a colon, and the remedy.

    Paths read as in messages of the API server, such as `spec.load.steps[0].users`; a rule
    about the resource as a whole has no path.
    """
    return [_line(item["loc"], _reason(item)) for item in error.errors(include_url=False)]


def _reason(item: ErrorDetails) -> str:
    if item["type"] == "value_error":
        return str(item["ctx"]["error"])  # without pydantic's "Value error, "
    return item["msg"]


def _line(location: tuple[int | str, ...], reason: str) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{path.removeprefix('.')}: {reason}" if path else reason
