"""Bad comparisons."""

from support.resources.bad.rows import NOT_A_CHOICE, TOO_LARGE, UNKNOWN, bad

BASELINE = "spec.comparison.baseline"

COMPARISONS = [
    bad("baseline of nothing", {BASELINE: {}}, BASELINE, "exactly one of benchmark, report"),
    bad(
        "two baselines",
        {BASELINE: {"benchmark": {"name": "a"}, "report": {"configMap": {"name": "b"}}}},
        BASELINE,
        "exactly one of benchmark, report",
    ),
    bad(
        "baseline is itself",
        {BASELINE: {"benchmark": {"name": "base"}}},
        "spec.comparison.baseline.benchmark",
        "must be another benchmark than this one",
    ),
    bad(
        "baseline in another namespace",
        {BASELINE: {"benchmark": {"name": "a", "namespace": "b"}}},
        f"{BASELINE}.benchmark.namespace",
        UNKNOWN,
    ),
    bad(
        "no effect at all",
        {"spec.comparison": {"smallestEffectPercent": 0}},
        "spec.comparison",
        "smallestEffectPercent must be at least 0.1",
    ),
    bad(
        "more than all",
        {"spec.comparison": {"smallestEffectPercent": 101}},
        "spec.comparison.smallestEffectPercent",
        TOO_LARGE,
    ),
    bad(
        "unknown figure",
        {"spec.comparison": {"primary": "P42"}},
        "spec.comparison.primary",
        NOT_A_CHOICE,
    ),
]
