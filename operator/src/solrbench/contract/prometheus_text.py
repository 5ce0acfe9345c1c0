"""Samples of metrics in the text format of Prometheus, by their names.

The operator and the master of the load both read Solr 10 with it.
"""

import re
from collections.abc import Iterator
from math import isfinite

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_NUMBER = r"\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?"


def read_samples(text: str, names: str) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield name, labels and value of every sample whose name a regular expression matches.

    What is no number from 0 on, as of something that stands for Solr, is passed over.
    """
    sample = re.compile(rf"^({names})(?:\{{(.*)\}})? ({_NUMBER})\b", re.MULTILINE)
    for match in sample.finditer(text):
        name, labels, value = match.groups()
        if isfinite(number := float(value)):
            yield name, dict(_LABEL.findall(labels or "")), number
