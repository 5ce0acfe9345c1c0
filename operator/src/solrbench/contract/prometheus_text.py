"""Samples of metrics in the text format of Prometheus, by their names.

The operator and the master of the load both read Solr 10 with it. A whole parser of the format is
in `telemetry`, for what reads everything that a node says.
"""

import re
from collections.abc import Iterator
from math import isfinite

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_NUMBER = r"\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?"


def read_samples(text: str, name: str) -> Iterator[tuple[dict[str, str], float]]:
    """Yield labels and value of every sample of a metric that has labels.

    What is no number from 0 on, as of something that stands for Solr, is passed over.
    """
    for labels, value in re.findall(rf"^{name}\{{(.*)\}} ({_NUMBER})\b", text, re.MULTILINE):
        number = float(value)
        if isfinite(number):
            yield dict(_LABEL.findall(labels)), number
