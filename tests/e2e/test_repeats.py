"""Repeats and steps that start on something of their own."""

import json
from collections.abc import Callable

from support.cluster import kube
from support.cluster.benchmarks import SMALL_REQUESTS, small

Run = Callable[..., str]


def test_each_repeat_has_a_fresh_target(run: Run) -> None:
    load = {
        "repeats": {"count": 2, "startOn": "FreshTarget"},
        "steps": [{"name": "two-users", "users": 2, "requests": SMALL_REQUESTS}],
    }
    name = run(small("fresh-target", load=load))
    status = kube.wait_for_success(name)
    assert [each["requests"] for each in status["results"]] == [2 * SMALL_REQUESTS]
    assert status["attempts"]["target"] == 2
    assert status["attempts"]["freshTargets"] == 1
    reasons = [each["reason"] for verdict in status["verdicts"] for each in verdict["reasons"]]
    assert "TargetChanged" not in reasons
    first, second = json.loads(kube.solrbench("report", name, "-o", "json"))["steps"]
    pods = [set(each["target"]["pods"].values()) for each in (first, second)]
    assert not pods[0] & pods[1]
    assert [each["target"]["documents"] for each in (first, second)] == [2000, 2000]


def test_each_step_begins_with_empty_caches(run: Run) -> None:
    load = {
        "between": {"caches": "Empty", "warmUp": {"requests": 0}},
        "steps": [
            {"name": "first", "users": 2, "requests": SMALL_REQUESTS},
            {"name": "second", "users": 2, "requests": SMALL_REQUESTS},
        ],
    }
    name = run(small("empty-caches", load=load))
    kube.wait_for_success(name)
    message = kube.condition(name, "Succeeded")["message"]
    assert "Solr's caches were emptied before each step" in message
    first, second = json.loads(kube.solrbench("report", name, "-o", "json"))["steps"]
    assert (first["emptiedCaches"]["cores"], second["emptiedCaches"]["cores"]) == (1, 1)
    assert second["emptiedCaches"]["entriesBefore"] > 0
    # Counters begin anew with the core, so nothing of the first step is in them.
    lookups = {each["cache"]: each["lookups"] for each in reversed(second["caches"])}
    assert lookups["queryResultCache"] == 0
