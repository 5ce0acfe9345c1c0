"""What is wrong with a resource, in the form that the API server uses too."""

from pydantic import ValidationError


def problems(error: ValidationError) -> list[str]:
    """Return one line for each problem: the path of the field, a colon, and the remedy.

    Paths read as in messages of the API server, such as `spec.load.steps[0].users`; a rule
    about the resource as a whole has no path.
    """
    return [_line(item["loc"], str(_reason(item))) for item in error.errors(include_url=False)]


def _reason(item: object) -> object:
    match item:
        case {"type": "value_error", "ctx": {"error": reason}}:
            return reason  # without pydantic's "Value error, "
        case {"msg": message}:
            return message
    return item


def _line(location: tuple[int | str, ...], reason: str) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{path.removeprefix('.')}: {reason}" if path else reason
