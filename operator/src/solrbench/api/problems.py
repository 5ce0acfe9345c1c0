"""What is wrong with a resource, in the form that the API server uses too."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_WORDS = {
    "extra_forbidden": "unknown field",
    "missing": "is required",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "invalid_key": "is a key that is no text: YAML reads on, off, yes and no as true and false",
}
"""By the library's kinds of errors, in place of its words."""

_BOUNDS = {
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length}",
    "too_long": "must have at most {max_length}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
}


def problems(error: ValidationError) -> list[str]:
    """Return one line for each problem: the path of the field, a colon, and the remedy.

    Paths read as in messages of the API server, such as `spec.load.steps[0].users`; a rule
    about the resource as a whole has no path.
    """
    return [_line(item["loc"], describe(item)) for item in error.errors(include_url=False)]


def describe(item: ErrorDetails) -> str:
    """Return what is wrong, without the path."""
    if item["type"] == "value_error":
        return str(item["ctx"]["error"])  # without pydantic's "Value error, "
    return _WORDS.get(item["type"]) or _bound(item) or item["msg"]


def _bound(item: ErrorDetails) -> str:
    """Return the limit that a value exceeds, or the choices that it is none of."""
    words = _BOUNDS.get(item["type"])
    return words.format(**item.get("ctx", {})) if words else ""


def _line(location: tuple[int | str, ...], reason: str) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{path.removeprefix('.')}: {reason}" if path else reason
