"""Bad comparisons."""

from support.resources.bad.rows import NOT_A_CHOICE, TOO_LARGE, UNKNOWN, bad, wrong

BASELINE = "spec.comparison.baseline"

COMPARISONS = [
    wrong("baseline of nothing", BASELINE, {}, "exactly one of benchmark, report"),
    wrong(
        "two baselines",
        BASELINE,
        {"benchmark": {"name": "a"}, "report": {"configMap": {"name": "b"}}},
        "exactly one of benchmark, report",
    ),
    wrong(
        "baseline is itself",
        f"{BASELINE}.benchmark",
        {"name": "base"},
        "must be another benchmark than this one",
    ),
    bad(
        "baseline in another namespace",
        {BASELINE: {"benchmark": {"name": "a", "namespace": "b"}}},
        f"{BASELINE}.benchmark.namespace",
        UNKNOWN,
    ),
    wrong(
        "no effect at all",
        "spec.comparison",
        {"smallestEffectPercent": 0},
        "smallestEffectPercent must be at least 0.1",
    ),
    wrong("more than all", "spec.comparison.smallestEffectPercent", 101, TOO_LARGE),
    wrong("unknown figure", "spec.comparison.primary", "P42", NOT_A_CHOICE),
]
