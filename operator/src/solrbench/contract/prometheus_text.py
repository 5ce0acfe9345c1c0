"""Samples of metrics in the text format of Prometheus, by their names.

The operator and the master of the load both read Solr 10 with it. A whole parser of the format is
in `telemetry`, for what reads everything that a node says.
"""

import re
from collections.abc import Iterator

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def read_samples(text: str, name: str) -> Iterator[tuple[dict[str, str], float]]:
    """Yield labels and value of every sample of a metric that has labels."""
    for labels, value in re.findall(rf"^{name}\{{(.*)\}} ([0-9.eE+-]+)", text, re.MULTILINE):
        yield dict(_LABEL.findall(labels)), float(value)
