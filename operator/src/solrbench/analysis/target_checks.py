"""Checks of the target: foreign CPU time, shared nodes, changes between repeats, bad responses."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from solrbench.analysis.checks import (
    NotEvaluated,
    Outcome,
    ValidityFinding,
    count_of_kind,
    measured_seconds,
    worst,
    worst_share_of_requests,
    worst_share_of_time,
)
from solrbench.analysis.fail_fast import describe_early_end
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.contract.environment import AttemptRecord, Environment, find_changes
from solrbench.contract.names import COMPANION, LOAD_MASTER, LOAD_WORKER, SOLR
from solrbench.contract.request_counts import sum_counts
from solrbench.contract.server_document import MAX_SERVERS, ServerFigures, Telemetry
from solrbench.contract.step_document import PARTIAL_RESULTS, RequestResult, StepRunResult
from solrbench.stats.number_format import count_noun, format_percent, format_share


def check_cpu_stolen(document: StepRunResult, load: Load) -> Outcome:
    """Compare the CPU time that the host of each worker's node gave to others with the limit.

    A node that is a virtual machine stands still meanwhile, clocks apart: responses that wait for
    it look slow, in the worker and in Solr alike.
    """
    return worst_share_of_time(
        document,
        "stolen_seconds",
        load.validity.max_stolen_percent,
        "the host took {lost} of {whole} s of each CPU of load worker {worker}'s node",
        "steal time of worker {} could be read",
    )


def check_cpu_pressure(document: StepRunResult, load: Load) -> Outcome:
    """Compare the time in which processes of each worker waited for a CPU with the limit."""
    return worst_share_of_time(
        document,
        "pressure_seconds",
        load.validity.max_cpu_pressure_percent,
        "processes of load worker {worker} waited for a CPU for {lost} of {whole} s",
        "cpu.pressure of worker {} could be read",
    )


def check_others_use_cpu(document: StepRunResult, load: Load) -> Outcome:
    """Compare the CPU time of processes that are not of the benchmark with the limit.

    What is not known to be the benchmark's counts as theirs: of a machine whose pods were not read
    the CPU time of all Solr nodes and load workers is taken away, wherever they ran, so that it is
    at least so much. ZooKeeper, the load master and the cluster's own processes remain in it.
    """
    telemetry = document.telemetry or Telemetry()
    used = [each for each in telemetry.machines if "cpu_busy_percent" in each.figures]
    if not used:
        return NotEvaluated("the CPU time of no machine was read")
    limit, pods = load.validity.max_others_cpu_percent, telemetry.pods
    # What stands before Solr may be the benchmark's own, and may not have been read.
    reads_all = not document.variant or any(pod.component == COMPANION for pod in pods)
    findings, is_unknown = [], False
    for machine in used:
        own = _own_cores(document, telemetry, machine)
        own_percent = 100 * (own or 0.0) / machine.figures.get("cpus", 1.0)
        percent = machine.figures["cpu_busy_percent"] - own_percent
        if percent <= limit:
            continue
        if own is None or not reads_all:
            is_unknown = True
            continue
        names = [pod.server for pod in pods if pod.machine == machine.server]
        text = (
            f"other processes used {format_percent(percent)} of the CPUs of the node of"
            f" {f'pod {names[0]}' if names else 'the load master'}"
            f" (limit {format_percent(limit)})"
        )
        findings.append(ValidityFinding(percent, text))
    if is_unknown and not findings:
        return NotEvaluated("not all that the benchmark itself used of the CPUs is known")
    return worst(findings)


def _own_cores(
    document: StepRunResult, telemetry: Telemetry, machine: ServerFigures
) -> float | None:
    """Return the mean number of cores that the benchmark used of a machine, or more."""
    # Workers are counted by what they say of themselves, with telemetry and without.
    read = [each for each in telemetry.pods if each.component != LOAD_WORKER]
    pods = [each for each in read if each.machine == machine.server]
    has_solr = any(each.component == SOLR for each in read)
    servers = pods if has_solr and pods else [*telemetry.solr, *pods]
    spent = [
        each.figures["cpu_seconds"] / each.seconds
        for each in servers
        if "cpu_seconds" in each.figures and each.seconds > 0
    ]
    # Of more servers than are kept, on whatever machine, the CPU time of some is missing.
    if not spent or len(spent) < len(servers) or max(len(servers), len(read)) >= MAX_SERVERS:
        return None
    workers = sum(
        each.cpu_seconds / whole
        for each in document.workers
        if (whole := measured_seconds(each, document)) > 0
    )
    return sum(spent) + workers


PlacementCheck = Callable[[Spec, Environment | None], Outcome]

_MAX_NAMED = 3


def check_load_shares_nodes(spec: Spec, environment: Environment | None) -> Outcome:
    """Look for Kubernetes nodes with Solr pods and load pods."""
    if spec.load.validity.allow_shared_nodes:
        return None
    if spec.target.solr_cloud is None:
        return NotEvaluated("the Kubernetes nodes of an existing target are not known")
    attempts = environment.attempts if environment is not None else []
    if not attempts:
        return NotEvaluated("the Kubernetes nodes of the pods were not recorded")
    if _is_one_node(spec, attempts):
        return NotEvaluated("all pods ran on one Kubernetes node, so load and Solr shared its CPUs")
    findings = []
    for attempt in attempts:
        solr = attempt.nodes.get(SOLR, [])
        load = {*attempt.nodes.get(LOAD_WORKER, []), *attempt.nodes.get(LOAD_MASTER, [])}
        if shared := [node for node in solr if node in load]:
            text = (
                f"load pods ran on {len(shared)} of the {len(solr)} Kubernetes nodes with Solr pods"
                f" ({', '.join(shared[:_MAX_NAMED])}; limit 0)"
            )
            findings.append(ValidityFinding(len(shared), text))
    return worst(findings)


def check_solr_shares_nodes(spec: Spec, environment: Environment | None) -> Outcome:
    """Look for several Solr pods on one Kubernetes node; gaps are those of the other check."""
    cloud = spec.target.solr_cloud
    attempts = environment.attempts if environment is not None else []
    if cloud is None or spec.load.validity.allow_shared_nodes or _is_one_node(spec, attempts):
        return None
    number, limit = cloud.nodes, "(limit 1 pod on each)"
    numbers = [len(attempt.nodes.get(SOLR, [])) for attempt in attempts]
    return worst(
        ValidityFinding(
            number - used,
            f"{number} Solr pods ran on {count_noun(used, 'Kubernetes node')} {limit}",
        )
        for used in numbers
        if 0 < used < number
    )


def _is_one_node(spec: Spec, attempts: Sequence[AttemptRecord]) -> bool:
    """Say whether there was no choice, and the spec does not demand one."""
    # On one node all topologies share its CPUs alike: they still compare with each other.
    used = {node for attempt in attempts for nodes in attempt.nodes.values() for node in nodes}
    return spec.load.validity.allow_shared_nodes is None and len(used) == 1


def check_added_documents(document: StepRunResult, load: Load) -> Outcome:
    """Compare the documents that each replica has after a step that indexes with those sent.

    What failed may have been added or not, so any number of these may be there.
    """
    del load
    size, added = document.batch_size, document.added
    if size is None or (added is None and document.ended_early is not None):
        return None
    counts = sum_counts(document.requests)
    sent, accepted = counts.sent * size, counts.accepted * size
    problem = "" if added is None else added.problem
    text = f"the added documents could not be counted: {problem or 'the step broke off'}"
    wrong = max(accepted, 1)
    if added is not None and not problem:
        text = f"replicas have {added.documents:,} of {accepted:,} documents that Solr accepted"
        text = "; ".join([text, *added.differing])
        wrong = max(accepted - added.documents, len(added.differing))
        # Those of a worker that was lost are counted nowhere.
        if added.documents > sent and not document.lost_workers:
            text = f"replicas have {added.documents:,} documents, of which only {sent:,} were sent"
            wrong = added.documents - sent
    return ValidityFinding(wrong, f"{text} (limit 0)") if wrong > 0 else None


def check_deleted_documents(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of deleted documents in the index with the limit.

    They are found by no search, but they are in the files that a search reads, in the statistics
    of terms, and in the size of the index.
    """
    target = document.target
    # A collection that the benchmark did not fill is measured as it is.
    if target is not None and not target.filled:
        return None
    if target is None or target.documents is None or target.deleted_documents is None:
        return NotEvaluated("deleted documents were not recorded")
    limit, deleted = load.validity.max_deleted_percent, target.deleted_documents
    whole = target.documents + deleted
    if deleted * 100 <= limit * whole:
        return None
    return ValidityFinding(
        deleted / whole,
        f"{deleted} of {whole} documents in the index are deleted"
        f" ({format_share(deleted, whole)}, limit {format_percent(limit)})",
    )


def first_of_repeats(step_runs: Iterable[StepRunResult]) -> dict[int, StepRunResult]:
    """Return the step run of each repeat that was measured first, in the order of measuring."""
    by_repeat: dict[int, StepRunResult] = {}
    for step_run in sorted(step_runs, key=lambda step_run: step_run.start_time):
        by_repeat.setdefault(step_run.repeat, step_run)
    return by_repeat


def compare_with_first(
    firsts: Mapping[int, StepRunResult], document: StepRunResult, start_on: RepeatStart
) -> Outcome:
    """Look for what changed since the first step run, apart from what was made anew on purpose.

    Where repeats start on a target or data of their own, a step run is compared in full with the
    first one of its repeat; with the first of all it must have the images and documents in common.
    """
    # A repeat on a target of its own is a whole of its own: only what was to be kept is compared.
    first = next(iter(firsts.values()))
    if start_on is RepeatStart.SAME_TARGET or document.repeat == first.repeat:
        return _compare_targets(first, document, RepeatStart.SAME_TARGET)
    within = _compare_targets(firsts[document.repeat], document, RepeatStart.SAME_TARGET)
    return within or _compare_targets(first, document, start_on)


def _compare_targets(
    first: StepRunResult, document: StepRunResult, start_on: RepeatStart
) -> Outcome:
    if first is document:
        return None
    if first.target is None or document.target is None:
        return NotEvaluated("what it was measured on was not recorded")
    changes = find_changes(first.target, document.target, start_on)
    if not changes:
        return None
    text = f"measured on another target than {first.id}: {'; '.join(changes)} (limit 0)"
    return ValidityFinding(len(changes), text)


def check_variant(document: StepRunResult, load: Load) -> Outcome:
    """Compare what a variant of the user's points to with the target.

    Endpoints that the operator knows lead to the nodes themselves.
    """
    target = document.target
    if load.validity.allow_variant_differences:
        return None
    if target is None and document.variant:
        return NotEvaluated("what the variant points to was not recorded")
    if target is None or target.variant is None:  # the nodes themselves
        return None
    variant = target.variant
    differences = []
    if None not in (variant.documents, target.documents) and variant.documents != target.documents:
        differences.append(f"{variant.documents} documents, the target has {target.documents}")
    own, others = target.solr_versions, variant.solr_versions
    if own and others and set(own) != set(others):
        differences.append(f"Solr {', '.join(others)}, the target is Solr {', '.join(own)}")
    if differences:
        text = f"variant {document.variant} points to {' and to '.join(differences)}"
        return ValidityFinding(len(differences), f"{text} (limit 0)")
    if not others:
        return NotEvaluated(f"variant {document.variant} does not show what it points to")
    return None


def check_requests_failed(document: StepRunResult, load: Load) -> Outcome:
    """Look at requests, and at seconds in which at least half of the requests failed."""
    limit = load.validity.max_failed_percent
    worst_share = worst_share_of_requests(document, "failed", lambda each: each.failures, limit)
    if worst_share is not None:
        return worst_share
    # Users without a response send seldom: few failures may be all that there was for a long time.
    requests, failures = Counter[int](), Counter[int]()
    for result in document.requests:
        for window in result.windows:
            requests[window.second] += window.requests
            failures[window.second] += window.failures
    bad = sum(2 * failures[second] >= requests[second] for second in requests)
    total, width = len(requests), document.window_seconds
    if bad * 100 <= limit * total:
        return None
    unit, of = ("s", "seconds") if width == 1 else (f"windows of {width} s", "windows")
    return ValidityFinding(
        bad / total,
        f"in {bad} of {total} {unit}, half or more of the requests failed"
        f" ({format_share(bad, total)}, limit {format_percent(limit)} of the {of})",
    )


def check_ended_early(document: StepRunResult, load: Load) -> Outcome:
    """Look for a step run that was ended before its time."""
    ended = document.ended_early
    if ended is None:
        return None
    # The repeat that ended first is the worst one.
    return ValidityFinding(-ended.second, describe_early_end(ended, load.stop))


def check_partial_results(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of partial results of each request name with the limit."""

    def partial(result: RequestResult) -> int:
        # Users of a locustfile report them as failures of this kind alone.
        return max(result.partial_results or 0, count_of_kind([result], PARTIAL_RESULTS))

    limit = load.validity.max_partial_percent
    worst_share = worst_share_of_requests(document, "had partial results", partial, limit)
    return worst_share or _uncounted(document, "partial results", lambda each: each.partial_results)


def check_empty_results(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of empty results of each request name with the limit."""
    limit = load.validity.max_empty_percent
    worst_share = worst_share_of_requests(
        document, "had empty results", lambda result: result.empty_results or 0, limit
    )
    return worst_share or _uncounted(document, "empty results", lambda result: result.empty_results)


def _uncounted(
    document: StepRunResult, what: str, count: Callable[[RequestResult], int | None]
) -> NotEvaluated | None:
    sent = [request for request in document.requests if request.requests]
    uncounted = [request.request for request in sent if count(request) is None]
    if not uncounted:
        return None
    more = f" and {len(uncounted) - _MAX_NAMED} more" if len(uncounted) > _MAX_NAMED else ""
    of = "" if len(uncounted) == len(sent) else f" of {', '.join(uncounted[:_MAX_NAMED])}{more}"
    return NotEvaluated(f"{what}{of} were not counted")
