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

TRUE_IN_RULES = (
    "point.topology.all(n, n >= 4) && !point.topology.all(n, n > 4)",
    "point.topology.exists(n, n == 8) && !point.topology.exists(n, n == 5)",
    "point.topology.exists_one(n, n > 4) && !point.topology.exists_one(n, n > 3)",
    "point.topology.map(n, n * 2) == [8, 16] && point.topology.map(n, n * 2).sum() == 24",
    "point.topology.all(n, point.topology.exists_one(other, other == n))",
    "point.topology.isSorted() && ![2, 1].isSorted() && [1, 1].isSorted()",
    "has(point.heap) && (has(point.nodes) ? point.nodes : 1) == 3",
    "point.heap.matches('^[0-9]+(Mi|Gi)$') && point.heap.matches('G') && !point.heap.matches('^G')",
    "'a.b'.matches(r'^a\\.b$') && !'a-b'.matches(r'^a\\.b$') && !'a\\n'.matches('^a$')",
    "int('users-5'.substring(6)) == 5 && double('0-5'.replace('-', '.')) == 0.5",
    "isQuantity(point.heap) && !isQuantity('much')",
    "quantity('2Ki').asApproximateFloat() == 2048.0",
)
"""The same with what only rules of the resource may use."""
