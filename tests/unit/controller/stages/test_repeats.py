"""Repeats on a target, or on data, of their own, with an operator that is killed at any point."""

import json
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import Provisioner
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import StepRunId
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners import created, registry
from solrbench.controller.stages.load_results import remaining
from solrbench.errors import TemporaryError
from solrbench.kube.result_documents import sorted_documents
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import KilledError, Kills, OperatorDriver, condition
from support.fakes.workloads import DOCUMENTS, TargetOfPods
from support.narrowing import not_none
from support.resources.small_resource import REMOVE, Changes, change, create
from support.solr.cloud import Cloud

REPEATS = 3
STEPS = [{"name": f"step-{n}", "users": 2, "requests": 200} for n in (1, 2)]
MAX_RECONCILES = 400


@dataclass
class World:
    """One benchmark, its operator and its target."""

    operator: OperatorDriver
    target: TargetOfPods
    kills: Kills
    start_on: str
    progress: list[int] = field(default_factory=list)

    def run(self, stored_steps: int | None = None) -> SolrBenchmark:
        """Reconcile until the end, which is a success, or until so many steps are stored."""
        for _ in range(MAX_RECONCILES):
            body = self.reconcile()
            benchmark = SolrBenchmark.parse(body)
            self.progress.append(benchmark.status.progress_percent)
            if condition(body, "CleanedUp")[0] == "True":
                assert condition(body, "Succeeded")[:2] == ("True", "Succeeded"), body["status"]
                return benchmark
            if stored_steps == benchmark.status.report.stored_steps:
                return benchmark
        raise AssertionError(f"it does not end: {condition(body, 'Succeeded')}")

    def reconcile(self) -> dict[str, Any]:
        self.operator.workloads.advance()
        before, load = self.stored(), self.load()
        try:
            self.operator.reconcile("one", seconds=2)
        except KilledError:
            self.operator.restart()
        assert not self.operator.errors, "\n".join(self.operator.errors)
        if load is None and self.load() is not None:
            self._check_plan(before)
        return self.operator.read("one")

    def stored(self) -> list[StepRunResult]:
        """Return what is stored, read anew."""
        return sorted_documents(
            self.operator.cluster, SolrBenchmark.parse(self.operator.read("one"))
        )

    def load(self) -> dict[str, Any] | None:
        return self.operator.cluster.get("batch/v1", "Job", "default", "one-load-master")

    def lose_target(self) -> None:
        del self.operator.cluster.objects["Pod", "default", "one-solr-0"]

    def _check_plan(self, before: list[StepRunResult]) -> None:
        """A load that begins measures one repeat, and nothing that is stored."""
        found = self.operator.cluster.get("v1", "ConfigMap", "default", "one-load-master")
        step_runs = json.loads(not_none(found)["data"]["load-plan.json"])["stepRuns"]
        if self.start_on != "SameTarget":
            assert len({each["repeat"] for each in step_runs}) == 1
        assert not {each["id"] for each in step_runs} & {each.id for each in before}


def world(
    patch: pytest.MonkeyPatch, start_on: str, changes: Changes | None = None, kills: float = 0
) -> World:
    source = random.Random(f"{start_on} {kills}")
    kill_some = Kills(lambda _: source.random() < kills)
    cluster = FakeCluster(fault=kill_some)
    cloud = Cloud(documents=DOCUMENTS, around=kill_some.around)
    target = TargetOfPods(cluster, cloud)
    provisioners = dict(registry.PROVISIONERS) | {Provisioner.STATEFUL_SET: target}
    patch.setattr(registry, "PROVISIONERS", provisioners)
    patch.setattr(created, "_check_nodes", lambda _: None)
    operator = OperatorDriver(cluster, patch, cloud)
    repeats = {"count": REPEATS, "startOn": start_on}
    body = small("one", dataset={"generator": {"documents": DOCUMENTS}}, cleanup="Always")
    body["spec"]["load"] |= {"repeats": repeats, "steps": STEPS}
    for path, value in (changes or {}).items():
        change(body, path, value)
    cluster.put(body)
    return World(operator, target, kill_some, start_on)


def pods_by_repeat(documents: list[StepRunResult]) -> list[set[str]]:
    """Return the uids of the Solr pods that each repeat was measured on."""
    assert [each.repeat for each in documents] == sorted(each.repeat for each in documents)
    found: dict[int, set[str]] = {}
    for each in documents:
        assert each.target is not None
        assert each.target.documents == DOCUMENTS
        found.setdefault(each.repeat, set()).update(each.target.pods.values())
    return list(found.values())


@pytest.mark.parametrize("kills", [0, pytest.param(0.2, marks=pytest.mark.slow)])
def test_each_repeat_has_a_target_of_its_own(kills: float, monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, "FreshTarget", kills=kills)
    after = made.run()
    assert bool(made.kills.number) == bool(kills)
    documents = made.stored()
    assert len(documents) == REPEATS * len(STEPS)
    pods = pods_by_repeat(documents)
    assert [len(each) for each in pods] == [1] * REPEATS
    assert len(set().union(*pods)) == REPEATS
    attempts = after.status.attempts
    assert (attempts.target, attempts.starts_of_target, attempts.starts_of_load) == (REPEATS, 1, 1)
    assert [each.verdict for each in after.status.verdicts] == ["Inconclusive"] * len(STEPS)
    assert made.progress == sorted(made.progress)
    assert made.operator.cluster.pods_of("one") == set()


@pytest.mark.parametrize("kills", [0, pytest.param(0.2, marks=pytest.mark.slow)])
def test_each_repeat_has_data_of_its_own(kills: float, monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, "FreshData", kills=kills)
    after = made.run()
    documents = made.stored()
    assert [len(each) for each in pods_by_repeat(documents)] == [1] * REPEATS
    assert len(set().union(*pods_by_repeat(documents))) == 1
    indexed = {each.repeat: each.target.indexed for each in documents if each.target is not None}
    assert len(set(indexed.values())) == REPEATS
    made_collections = [name for action, name in made.target.cloud.changed if action == "CREATE"]
    assert len(made_collections) >= REPEATS
    assert (after.status.attempts.target, after.status.attempts.index) == (1, REPEATS)
    assert after.status.attempts.starts_of_load == 1
    assert [each.verdict for each in after.status.verdicts] == ["Inconclusive"] * len(STEPS)
    assert made.progress == sorted(made.progress)


@pytest.mark.slow
def test_collection_on_an_existing_target_is_filled_for_each_repeat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = world(monkeypatch, "FreshData", create(), kills=0.05)
    cloud = made.target.cloud
    cloud.make("others", "others")
    made.run()
    documents = made.stored()
    indexed = {each.repeat: each.target.indexed for each in documents if each.target is not None}
    assert len(set(indexed.values())) == REPEATS
    assert list(cloud.collections) == ["others"]
    assert cloud.config_sets == {"_default"}


def test_repeats_before_a_lost_target_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, "FreshTarget")
    made.run(stored_steps=3)
    before = {each.id: each for each in made.stored()}
    made.lose_target()
    after = made.run()
    documents = made.stored()
    assert {each.id: each for each in documents} | before == {each.id: each for each in documents}
    assert [len(each) for each in pods_by_repeat(documents)] == [1, 2, 1]
    assert (after.status.attempts.target, after.status.attempts.starts_of_target) == (4, 2)
    reasons = [reason.reason for each in after.status.verdicts for reason in each.reasons]
    assert reasons == ["TargetChanged"]  # of the step that the second repeat measured afterwards


@pytest.mark.slow
def test_target_of_a_repeat_that_is_over_cannot_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, "FreshTarget", {"spec.backoffLimit": 0})
    made.run(stored_steps=2)
    made.lose_target()
    after = made.run()
    assert after.status.attempts.starts_of_target == 1


def test_an_error_that_passes_says_nothing_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, "FreshTarget")
    made.run(stored_steps=1)
    errors, read = [TemporaryError(ApiServerReason.API_UNREACHABLE, "429")], remaining

    def fail_once(context: ReconcileContext) -> tuple[StepRunId, ...]:
        if errors:
            raise errors.pop()
        return read(context)

    monkeypatch.setattr("solrbench.controller.stages.repeats.remaining", fail_once)
    body = made.reconcile()
    assert errors == []
    assert condition(body, "TargetReady")[0] == "True"
    assert condition(body, "Measured")[1] == "ApiUnreachable"
    made.run()
    # It would empty the caches of what is measured.
    assert "RELOAD" not in {action for action, _ in made.target.cloud.changed}


def test_deadlines_are_those_of_each_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, "FreshTarget")
    first = made.run(stored_steps=2)
    made.reconcile()
    after = SolrBenchmark.parse(made.operator.read("one"))
    assert (first.status.phase, after.status.phase) == ("Measuring", "Provisioning")
    assert condition(made.operator.read("one"), "DataIndexed")[1] == "StartingRepeat"
    assert not_none(after.status.phase_start_time) > not_none(first.status.phase_start_time)


VARIANTS: Changes = {
    "spec.target.variants": [
        {"name": "nodes", "endpoint": "Nodes"},
        {"name": "service", "endpoint": "Service"},
    ],
    "spec.load.repeats.count": REMOVE,
    "spec.load.repeats.until": "Decided",
    "spec.load.repeats.min": 3,
    "spec.load.repeats.max": 5,
}


def with_variants(
    patch: pytest.MonkeyPatch,
    start_on: str,
    slower_percent: list[int],
    changes: Changes | None = None,
    kills: float = 0,
) -> World:
    """Return a world whose second variant is slower, in each repeat by another per cent."""
    made = world(patch, start_on, VARIANTS | (changes or {}), kills)
    made.operator.workloads.variants = ("nodes", "service")

    def microseconds(step_run_id: str) -> int:
        repeat, variant, *_ = step_run_id.split("-")
        slower = slower_percent[int(repeat[1:]) % len(slower_percent)]
        return 100_000 + (1000 * slower if variant == "v1" else 0)

    made.operator.workloads.microseconds = microseconds
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start_on", "slower_percent", "repeats", "conclusion"),
    [
        ("SameTarget", [0, 1], 3, "Same"),
        ("FreshData", [30, 31], 3, "Worse"),
        ("FreshTarget", [0, 1], 3, "Same"),
        ("SameTarget", [-20, 5, 30], 5, "Inconclusive"),
    ],
)
def test_repeats_end_with_the_conclusions(
    start_on: str,
    slower_percent: list[int],
    repeats: int,
    conclusion: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one_step = {"spec.load.steps": STEPS[:1]}
    made = with_variants(monkeypatch, start_on, slower_percent, one_step, kills=0.05)
    after = made.run()
    assert {each.repeat for each in made.stored()} == set(range(1, repeats + 1))
    assert len(made.stored()) == repeats * 2
    assert after.status.report.repeats == repeats
    assert after.status.report.total_steps == after.status.report.stored_steps
    found = {each.p95.conclusion for each in after.status.comparisons if each.p95 is not None}
    assert found == {conclusion}
    assert made.progress == sorted(made.progress)


@pytest.mark.slow
def test_repeats_go_on_where_one_step_has_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    made = with_variants(monkeypatch, "SameTarget", [0])
    equal = made.operator.workloads.microseconds
    noise = [-20, 5, 30]

    def microseconds(step_run_id: str) -> int:
        if "-v1-s1-" not in step_run_id:
            return equal(step_run_id)
        return 100_000 + 1000 * noise[int(step_run_id[1]) % 3]

    made.operator.workloads.microseconds = microseconds
    assert made.run().status.report.repeats == 5
