"""CEL expressions over a point, for the operator's evaluation and for that of the API server."""

from typing import Any

POINT: dict[str, Any] = {
    "heap": "2Gi",
    "nodes": 3,
    "shards": 2,
    "ratio": 1.5,
    "caches": "small",
    "telemetry": True,
    "topology": [4, 8],
}

TRUE = (
    "point.nodes > point.shards",
    "point.nodes >= 3 && point.nodes <= 3",
    "point.heap == '2Gi' && point.caches == \"small\"",
    "point.heap in ['1Gi', '2Gi'] || point.nodes / 0 == 1",
    "point.nodes / 0 == 1 || point.telemetry",
    "!(point.nodes < 3 || point.nodes != 3)",
    "point.topology[0] * 2 == point.topology[1]",
    "point.topology == [4, 8]",
    "size(point.topology) == 2 && 'abc'.size() == 3",
    "point.nodes + point.shards * 2 - 1 == 6",
    "-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3",
    "10 - 3 - 2 == 5 && 'a' + 'b' == 'ab'",
    "point.ratio * 2.0 == 3.0 && point.ratio < 2.0",
    "point.nodes > 2 ? point.telemetry : false",
    "false ? true : point.nodes == 3 ? true : false",
    "point.caches.startsWith('sm') && point.caches.endsWith('all')",
    "point.caches.contains('mal') && !point.caches.contains('M')",
    "quantity(point.heap).isGreaterThan(quantity('512Mi'))",
    "quantity(point.heap).compareTo(quantity('2048Mi')) == 0",
    "!quantity('1500m').isLessThan(quantity('1.5'))",
    "double(point.nodes) / 2.0 == point.ratio",
    "int('3') == point.nodes && int(3.9) == 3",
    "'it\\'s\\n' == \"it's\\n\"",
    "0x10 == 16 && 1e3 == 1000.0",
    "[1] + [2] == [1, 2] && !(3 in [1, 2])",
    "1.0 / 0.0 > 1e300 && true || false",
)
"""Their negations are false."""
