"""Thread dumps from Solr's response."""

import pytest

from solrbench.telemetry.thread_dump import format_thread_dump

BODY = {
    "responseHeader": {"status": 0},
    "system": {
        "threadCount": {"current": 2, "peak": 40, "daemon": 1},
        "threadDump": [
            "thread",
            {
                "id": 31,
                "name": "qtp1-31",
                "state": "BLOCKED",
                "lock": "java.lang.Object@5",
                "owner": "qtp1-32 (32)",
                "cpuTime": "12.5000ms",
                "stackTrace": ["org.apache.solr.A.b(A.java:1)", "java.lang.Thread.run(T.java:2)"],
            },
            "thread",
            {"id": 1, "name": "main", "state": "RUNNABLE"},
        ],
    },
}


def test_each_thread_is_a_paragraph() -> None:
    assert format_thread_dump(BODY) == (
        "2 threads, 40 at most, 1 daemons\n"
        '\n"qtp1-31" #31 cpu=12.5000ms\n'
        "   state: BLOCKED\n"
        "   waiting for java.lang.Object@5\n"
        "   held by qtp1-32 (32)\n"
        "\tat org.apache.solr.A.b(A.java:1)\n"
        "\tat java.lang.Thread.run(T.java:2)\n"
        '\n"main" #1\n'
        "   state: RUNNABLE\n"
    )


@pytest.mark.parametrize("body", [{}, {"system": []}, {"system": {"threadCount": {}}}])
def test_another_response_is_no_dump(body: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError)):
        format_thread_dump(body)
