"""What a world looks like at its end, without what no two runs have in common: times and uids."""

import re
from collections.abc import Iterator
from typing import Any

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.names import LABEL_ATTEMPT, LABEL_BENCHMARK, LABEL_STEP_RUN
from solrbench.contract.step_document import StepRunResult
from solrbench.kube.result_documents import sorted_documents
from solrbench.manifests.results import SHA256_ANNOTATION
from support.faults.crossings import Fault, Run
from support.faults.world import World

Outcome = dict[str, Any]
MOMENTS = re.compile(r"\d{8}-(?=[a-z])|(\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\d[\d.+:Z]*|\d{8}T\d{6}Z")
"""Numbers in uids, and times in words."""
EVIDENCE = "-report-evidence"
TIMES = re.compile(r"(?i)(time|since|indexed)$|^(liveLoad|estimate|finishedSeconds|commitSeconds)$")
"""Fields that show when something was, or for how long; the load is not always seen at work."""


def outcome_of(world: World) -> Outcome:
    """Return all that must be the same whatever call was broken."""
    found: Outcome = {"objects": _objects(world), "errors": world.operator.errors}
    for (kind, _, name), body in sorted(world.cluster.objects.items()):
        if kind in (BENCHMARK.name, SWEEP.name):
            found[f"{kind}/{name}"] = _without_times(body.get("status"))
            metadata = body["metadata"]
            found[f"{name} held"] = metadata.get("finalizers"), metadata.get("deletionTimestamp")
        if kind == BENCHMARK.name:
            found[f"{name} results"] = _results(world, body)
    cloud = world.cloud
    found["solr"] = sorted(cloud.collections), sorted(cloud.config_sets)
    found["restores"] = [name for what, name in cloud.changed if what == "RESTORE"]
    there = tuple(f"{name}-" for kind, _, name in world.cluster.objects if kind == BENCHMARK.name)
    found["started"] = {
        job: number
        for job, number in world.workloads.started.items()
        if job.partition("/")[2].startswith(there)  # a deletion is not at the same step in all runs
    }
    found["planned"] = [world.planned(uid) for uid in world.masters if uid.startswith(there)]
    found["together"] = sorted(world.together)
    return found


def _objects(world: World) -> list[str]:
    """Return all objects with their attempt; chunks as one, if there is only one document."""
    named = set()
    documents: set[tuple[str, str, str]] = set()
    for (kind, _, name), body in world.cluster.objects.items():
        labels = body["metadata"].get("labels") or {}
        if name.endswith(EVIDENCE):
            continue
        attempt = labels.get(LABEL_ATTEMPT, "")
        if step_run := labels.get(LABEL_STEP_RUN):
            digest = body["metadata"]["annotations"][SHA256_ANNOTATION]
            documents.add((labels[LABEL_BENCHMARK], step_run, digest))
        else:
            named.add(f"{kind}/{name} {attempt}".strip())
    return sorted([*named, *(f"{name} {step_run}" for name, step_run, _ in documents)])


def _results(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Return the stored documents; pods are numbered in the order in which they were measured."""
    documents = sorted_documents(world.cluster, SolrBenchmark.parse(body))
    pods: dict[str, int] = {}
    return {each.id: _view(each, pods) for each in sorted(documents, key=_order)}


def _order(document: StepRunResult) -> tuple[int, str]:
    return document.repeat, document.id


def _view(document: StepRunResult, pods: dict[str, int]) -> Any:
    found = plain(document)
    target = found.get("target") or {}
    uids = sorted((target.get("pods") or {}).items())
    target["pods"] = [f"{name} {pods.setdefault(uid, len(pods))}" for name, uid in uids]
    return _without_times(found)


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _without_times(each) for key, each in value.items() if not TIMES.search(key)}
        pods = kept.get("pods")
        return kept | ({"pods": sorted(pods)} if isinstance(pods, dict) else {})
    if isinstance(value, list):
        return [_without_times(each) for each in value]
    return MOMENTS.sub("", value) if isinstance(value, str) else value


EXCEPTIONS: dict[str, str] = {
    r"\.target\.(documents|deletedDocuments): \d+ -> None": (
        "a result is stored though Solr does not describe itself; its verdict says so"
    ),
    r"\.report\.evidence: |\.conditions.*logs and events are in ConfigMap": (
        "evidence of a failure is never in the way, and may be missing"
    ),
    r"(dataset\.seconds|\.indexingSeconds): [\d.]+ -> [\d.]+$|: restored \d+ .* -> restored \d+ ": (
        "a restore lasts until the operator sees its end"
    ),
    r"; index filled at , then again at  UTC(?!.* -> .*; index filled)": (
        "when an index was filled counts once that is stored, and else is not compared"
    ),
    r"\.unchecked.*was not recorded|\.unchecked.*were not recorded": (
        "what could not be recorded is listed with the verdict"
    ),
}
"""Differences that are meant, by what they look like; each with its reason."""


def unexplained(reference: Outcome, run: Run) -> list[str]:
    """Return what a run has changed and may not have changed, values cut for display."""
    found = list(differences(reference, run.outcome))
    if Fault.EXCEPTION in {fault for _, fault in run.injected}:
        found = [each for each in found if not each[0].startswith(".errors")]  # it is logged
    return [
        f"{path}: {expected[:300]} -> {changed[:2000]}"
        for path, expected, changed in found
        if not any(re.search(rule, f"{path}: {expected} -> {changed}") for rule in EXCEPTIONS)
    ]


def differences(expected: Any, found: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield where two outcomes differ, with both values."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            yield from differences(expected.get(key), found.get(key), f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for n, (a, b) in enumerate(zip(expected, found, strict=True)):
            yield from differences(a, b, f"{path}[{n}]")
    elif expected != found:
        yield path, str(expected), str(found)
