"""Queue, suspension, deletion at a bad moment, time to live."""

import json
from collections.abc import Callable

from support.cluster import kube
from support.cluster.benchmarks import small

Run = Callable[..., str]
LONG_STEP = {"steps": [{"name": "long", "requestsPerSecond": 20, "durationSeconds": 600}]}


def patch(name: str, spec: str) -> None:
    kube.kubectl("patch", "sbench", name, "--type=merge", "-p", f'{{"spec": {spec}}}')


def test_queue_suspension_deletion_and_time_to_live(run: Run) -> None:
    first = run(small("first", load=LONG_STEP))
    kube.wait_for_phase(first, "Provisioning", 60)
    second = run(small("second", load={"steps": [{"name": "one", "users": 1, "requests": 50}]}))
    third = run(small("third"))
    kube.wait_for_phase(second, "Queued", 60)
    kube.wait_for_phase(third, "Queued", 60)
    assert f"{kube.NAMESPACE}/first" in kube.condition(second, "Succeeded")["message"]
    assert f"{kube.NAMESPACE}/second" in kube.condition(third, "Succeeded")["message"]
    assert kube.owned(second) == []

    kube.wait_for_phase(first, "Measuring")
    kube.kubectl("delete", "sbench", first, "--wait=false")

    kube.wait_for_phase(second, "Provisioning", 60)
    assert kube.status(third)["phase"] == "Queued"
    patch(second, '{"suspend": true}')
    kube.wait_for_phase(second, "Suspended", 60)
    kube.wait_for("end of its pods", lambda: not kube.owned(second), 60)

    kube.wait_for_phase(third, "Provisioning", 60)
    kube.kubectl("delete", "sbench", third, "--wait=false")
    for deleted in (first, third):
        kube.delete(deleted, seconds=45)  # and with it all that it owned

    patch(second, '{"suspend": false, "ttlSecondsAfterFinished": 15}')
    kube.wait_for_success(second)
    kube.wait_for("its expiry", lambda: kube.get("solrbenchmarks", second) is None, 60)
    kube.wait_for("end of all it owned", lambda: not kube.owned(second), 60)


def test_suspended_run_keeps_stored_steps(run: Run) -> None:
    two = [{"name": name, "users": 1, "durationSeconds": 10} for name in ("one", "two")]
    name = run(small("pausing", load={"steps": two}))
    kube.wait_for(
        "first step", lambda: kube.status(name).get("report", {}).get("storedSteps") == 1, 300
    )
    patch(name, '{"suspend": true}')
    kube.wait_for_phase(name, "Suspended", 60)
    kube.wait_for("end of its pods", lambda: not kube.pods(name, "solr"), 60)
    before = kube.status(name)["results"]
    assert [each["step"] for each in before] == ["one"]
    patch(name, '{"suspend": false}')
    status = kube.wait_for_success(name)
    assert status["results"][0] == before[0]
    assert [each["step"] for each in status["results"]] == ["one", "two"]


def test_expired_benchmarks_go_soon(run: Run) -> None:
    """Each is deleted by its own reconcile, whose end must not be waited for long."""
    nowhere = {
        "existing": {"urls": ["http://198.51.100.7:8983/solr"], "collectionPolicy": "Create"}
    }
    names = {
        run(small(f"expiring-{number}", target=nowhere, ttlSecondsAfterFinished=3))
        for number in range(12)
    }

    def left() -> set[str]:
        return names & {body["metadata"]["name"] for body in kube.items("solrbenchmarks")}

    kube.wait_for("expiry of all", lambda: not left(), 30)


def test_spec_longer_than_annotations_may_be_is_looked_at() -> None:
    query = json.dumps({"query": "*:*", "params": {"comment": "a" * 16_000}})
    names = [f"request-{n}" for n in range(20)]
    requests = [{"name": name, "jsonBody": query} for name in names]
    mix = [
        {"name": f"long-{n}", "transaction": {"requests": requests[n : n + 5]}}
        for n in range(0, 20, 5)
    ]
    body = small("large", suspend=True, workload={"mix": mix})
    assert len(json.dumps(body["spec"])) > 256 * 1024
    kube.kubectl("create", "-f", "-", stdin=json.dumps(body))
    kube.wait_for_phase("large", "Suspended", 60)
    kube.delete("large")
