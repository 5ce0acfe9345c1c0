"""YAML of strangers as plain values."""

from typing import Any

import yaml

MAX_BYTES = 256 << 10
"""Of all manifests of a benchmark together."""

MAX_DEPTH = 40
"""Of nesting: the parser calls itself for each level."""


def parse_documents(text: str) -> list[Any]:
    """Return the documents of a text, empty ones left out.

    Aliases are refused: a few lines with them stand for gigabytes.

    Raises:
        ValueError: it is no YAML, or has aliases or more than `MAX_DEPTH` levels

    """
    try:
        _check_events(text)
        return [each for each in yaml.safe_load_all(text) if each is not None]
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"no YAML: {' '.join(str(error).split())}") from error


def _check_events(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = 0 if event.start_mark is None else event.start_mark.line + 1
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"line {line}: aliases must not be used")  # noqa: TRY004 - of a text
        if depth > MAX_DEPTH:
            raise ValueError(f"line {line}: more than {MAX_DEPTH} levels of nesting")
