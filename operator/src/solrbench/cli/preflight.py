"""`solrbench preflight`: whether a cluster is ready for benchmarks, or for certain ones."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.metadata import version
from itertools import product
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from solrbench.api.identity import GROUP, SWEEP_PLURAL
from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.quantities import parse_quantity
from solrbench.api.v1alpha1 import PLURAL, VERSION, SolrBenchmark
from solrbench.api.v1alpha1.target import Provisioner, ZooKeeperMode
from solrbench.cli.cluster_facts import capacity_problems, find_operators, served_versions
from solrbench.cli.files import FILES_OPTIONAL, read_documents
from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, given, open_cluster, output_option
from solrbench.cli.terminal import wrap_line
from solrbench.cli.validation import valid_parts
from solrbench.contract.names import LABEL_SWEEP
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError, UnauthorizedError, UnreachableError
from solrbench.kube.reader import Manifest
from solrbench.stats.number_format import format_bytes
from solrbench.sweep.requirements import pod_groups, stages, sum_requests

_OF_OWN_KINDS = ("get", "list", "watch", "create", "patch", "delete")
RIGHTS = (
    (GROUP, PLURAL, _OF_OWN_KINDS),
    ("", "configmaps", ("get", "list")),
    ("", "pods", ("list",)),
    ("", "pods/log", ("get",)),
)
"""What the commands need in the namespace of the benchmark."""
SWEEP_RIGHTS = (*RIGHTS, (GROUP, SWEEP_PLURAL, _OF_OWN_KINDS))

DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
SOLR_CLOUD = ("solr.apache.org/v1beta1", "SolrCloud")
ZOOKEEPER_CLUSTER = ("zookeeper.pravega.io/v1beta1", "ZookeeperCluster")


class Result(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ReadinessFinding:
    """What a check found, and what to do; the remedy is empty if nothing is to be done."""

    result: Result
    message: str
    remedy: str = ""
    check: str = ""


Answer = tuple[Result, str] | tuple[Result, str, str]
"""Result, message and remedy of one check."""


@dataclass(frozen=True)
class Subject:
    """The cluster, and the benchmarks that shall run in a namespace; none if it alone counts."""

    cluster: Cluster
    namespace: str
    benchmarks: list[SolrBenchmark]

    @property
    def has_sweep(self) -> bool:
        """Whether any of them is the point of a sweep, which has the label of it."""
        return any(LABEL_SWEEP in each.metadata.labels for each in self.benchmarks)


def check_definition(subject: Subject) -> Iterator[Answer]:
    """Find out whether definitions are installed, in a version that this command knows."""
    versions = served_versions(subject.cluster)
    for kind in (BENCHMARK, SWEEP) if subject.has_sweep else (BENCHMARK,):
        if VERSION in versions and subject.cluster.serves(kind.api_version, kind.name):
            yield Result.OK, f"{kind.definition}, {VERSION}"
        elif versions and VERSION not in versions:
            text = f"{kind.definition} is served in {', '.join(versions)}, not in {VERSION}"
            yield Result.FAILED, text, "use the command of the operator's version"
        else:
            text = f"{kind.definition} is not installed"
            yield Result.FAILED, text, "install the chart solr-benchmark-operator"


def check_operator(subject: Subject) -> Iterator[Answer]:
    """Find out whether an operator runs that watches the namespace, and its version."""
    operators = find_operators(subject.cluster, subject.namespace)
    watching = [operator for operator in operators if operator.watches(subject.namespace)]
    if not operators:
        text = "no Deployment of the operator was found"
        yield Result.FAILED, text, "install the chart solr-benchmark-operator"
    elif not watching:
        places = ", ".join(operator.namespace for operator in operators)
        text = f"the operator in {places} does not watch namespace {subject.namespace}"
        yield Result.FAILED, text, "add it to watchNamespaces of its chart"
    for operator in watching:
        where = f"{operator.name} in {operator.namespace}, version {operator.version}"
        if not operator.ready:
            remedy = f"see kubectl -n {operator.namespace} describe deployment {operator.name}"
            yield Result.FAILED, f"{where}, is not ready", remedy
        elif not operator.has_version(version("solrbench")):
            text = f"{where}; this command has version {version('solrbench')}"
            yield Result.WARNING, text, "use the same versions"
        else:
            yield Result.OK, where


def check_rights(subject: Subject) -> Iterator[Answer]:
    """Find out what the user may do in the namespace, as the API server decides."""
    missing = []
    # A role for a nightly benchmark has none on sweeps.
    for group, resource, verbs in SWEEP_RIGHTS if subject.has_sweep else RIGHTS:
        name, _, part = resource.partition("/")
        place = {"namespace": subject.namespace, "group": group}
        place |= {"resource": name, "subresource": part}
        for verb in verbs:
            # Only the API server knows: webhooks and several authorizers may decide, not only RBAC.
            review = {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectAccessReview",
                "spec": {"resourceAttributes": place | {"verb": verb}},
            }
            if not subject.cluster.create(review)["status"]["allowed"]:
                missing.append(f"{verb} {resource}")
    if missing:
        text = f"the user may not {', '.join(missing)} in namespace {subject.namespace}"
        yield Result.FAILED, text, "ask for the ClusterRole edit there, or admin"
    else:
        yield Result.OK, f"the user may run benchmarks in namespace {subject.namespace}"


def check_namespace(subject: Subject) -> Iterator[Answer]:
    """Find out whether the namespace is there, and which quotas it has."""
    namespace = subject.cluster.get("v1", "Namespace", "", subject.namespace)
    if namespace is None:
        remedy = f"kubectl create namespace {subject.namespace}"
        yield Result.FAILED, f"there is no namespace {subject.namespace}", remedy
        return
    yield Result.OK, f"namespace {subject.namespace} is there"
    for quota in subject.cluster.list("v1", "ResourceQuota", subject.namespace, {}):
        yield from _quota_findings(subject, quota)


def _quota_findings(subject: Subject, quota: Manifest) -> Iterator[Answer]:
    name, status = quota["metadata"]["name"], quota.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    if not subject.benchmarks:
        yield Result.OK, f"ResourceQuota {name} applies; -f compares it with benchmarks"
    for benchmark in subject.benchmarks:
        parts = stages(pod_groups(benchmark.spec))
        pods = max(sum(group.count for group in part) for part in parts)
        cores = max(sum_requests(part).cores for part in parts)
        memory = max(sum_requests(part).memory_bytes for part in parts)
        wanted = {
            "pods": (pods, f"{pods}"),
            # A quota may leave out the `requests.`.
            **dict.fromkeys(("requests.cpu", "cpu"), (cores, f"{cores:.4g}")),
            **dict.fromkeys(("requests.memory", "memory"), (memory, format_bytes(memory))),
        }
        for key, (amount, needed) in wanted.items():
            taken = parse_quantity(used.get(key, "0")) or 0
            # What the quota does not name it does not limit.
            if key in hard and amount > float((parse_quantity(hard[key]) or 0) - taken):
                text = (
                    f"ResourceQuota {name} allows {hard[key]} of {key}, {used.get(key, '0')} are"
                    f" used; {benchmark.metadata.name} needs {needed}"
                )
                yield Result.FAILED, text, "raise the quota, or ask for less"


def check_capacity(subject: Subject) -> Iterator[Answer]:
    """Find out whether the nodes have room for the pods of each benchmark."""
    for benchmark in subject.benchmarks:
        problems = capacity_problems(pod_groups(benchmark.spec), subject.cluster)
        name = benchmark.metadata.name
        if not problems:
            yield Result.OK, f"the nodes have room for the pods of {name}"
        for problem in problems:
            remedy = "add nodes, or ask for less" if problem == problems[-1] else ""
            yield Result.FAILED, f"{name}: {problem}", remedy


def check_storage(subject: Subject) -> Iterator[Answer]:
    """Find out whether the StorageClasses that are needed are there."""
    wanted = {
        storage.storage_class_name
        for each in subject.benchmarks
        if (solr := each.spec.target.solr_cloud) and (storage := solr.storage.persistent)
    }
    if not wanted:
        return
    annotations = {
        each["metadata"]["name"]: each["metadata"].get("annotations") or {}
        for each in subject.cluster.list("storage.k8s.io/v1", "StorageClass", None, {})
    }
    defaults = [name for name, notes in annotations.items() if notes.get(DEFAULT_CLASS) == "true"]
    for name in sorted(wanted, key=str):
        if name in annotations or (name is None and defaults):
            yield Result.OK, f"StorageClass {name or defaults[0]}"
            continue
        absent = "the cluster has no default StorageClass"
        text = absent if name is None else f"there is no StorageClass {name}"
        remedy = f"name one: {', '.join(annotations) or 'there is none'}"
        yield Result.FAILED, text, remedy


def check_solr_operator(subject: Subject) -> Iterator[Answer]:
    """Find out whether the other operators are there, where a benchmark needs them."""
    clouds = [each.spec.target.solr_cloud for each in subject.benchmarks]
    needed = any(each and each.provisioner is Provisioner.SOLR_OPERATOR for each in clouds)
    provided = any(each and each.zookeeper.mode is ZooKeeperMode.PROVIDED for each in clouds)
    wants = [(*SOLR_CLOUD, "the Solr Operator", needed)]
    wants += [(*ZOOKEEPER_CLUSTER, "the ZooKeeper operator", provided)]
    for api_version, kind, name, is_needed in wants:
        if subject.cluster.serves(api_version, kind):
            yield Result.OK, f"{name} is there: {kind} is served"
        elif is_needed:
            remedy = "install it, or set target.solrCloud.provisioner to StatefulSet"
            yield Result.FAILED, f"{name} is not there: no kind {kind}", remedy
        elif not subject.benchmarks and kind == SOLR_CLOUD[1]:
            text = f"{name} is not there: only provisioner StatefulSet and existing targets work"
            yield Result.WARNING, text


CHECKS: dict[str, Callable[[Subject], Iterator[Answer]]] = {
    "definition": check_definition,
    "operator": check_operator,
    "rights": check_rights,
    "namespace": check_namespace,
    "capacity": check_capacity,
    "storage": check_storage,
    "solr operator": check_solr_operator,
}
"""By what is checked, in the order in which they are shown."""

_STYLES = {
    Result.OK: "green",
    Result.WARNING: "yellow",
    Result.FAILED: "bold red",
    Result.UNKNOWN: "yellow",
}


@command("solrbench preflight", "solrbench preflight -f bench.yaml -n search -o json")
@FILES_OPTIONAL
@output_option("text", "json")
@cluster_options
def preflight(files: tuple[Path, ...], output: str) -> None:
    """Check whether a cluster, a namespace and the operator are ready.

    With files, in the namespaces that they name, and also whether there is room for their pods, and
    what they need is installed; of a sweep for those of its largest point. Exit code 1 if a check
    failed.
    """
    documents = read_documents(files)
    for document in documents:
        metadata = document.body["metadata"]
        metadata["namespace"] = given("namespace") or metadata.get("namespace") or ""
    benchmarks, sweeps = valid_parts(documents) if files else ([], [])
    benchmarks += [each.largest for each in sweeps if each.largest is not None]
    cluster, default = open_cluster()
    placed: dict[str, list[SolrBenchmark]] = {} if files else {default: []}
    for benchmark in benchmarks:
        placed.setdefault(benchmark.metadata.namespace or default, []).append(benchmark)
    # It is asked for to find out about trouble: none of its requests shall wait for long.
    subjects = [Subject(cluster.within(10.0), *each) for each in placed.items()]
    findings = []
    for subject, (name, check) in product(subjects, CHECKS.items()):
        try:
            for result, message, *remedies in check(subject):
                findings.append(ReadinessFinding(result, message, "".join(remedies), name))
        except (UnreachableError, UnauthorizedError):
            # No other check could find out anything either.
            raise
        except SolrbenchError as error:
            remedy = "ask for a role with it" if isinstance(error, ForbiddenError) else ""
            findings.append(ReadinessFinding(Result.UNKNOWN, error.message, remedy, name))
    if output == "json":
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        _print(findings)
    if any(finding.result is Result.FAILED for finding in findings):
        raise click.exceptions.Exit(1)


def _print(findings: list[ReadinessFinding]) -> None:
    console = Console(highlight=False)
    width = console.width if console.is_terminal else None
    for finding in findings:
        remedy = f"; {finding.remedy}" if finding.remedy else ""
        text, word = f"{finding.check}: {finding.message}{remedy}", finding.result.value
        for line in wrap_line(text, None if width is None else width - 9):
            console.print(Text(f"{word:<9}", style=_STYLES[finding.result]) + line, soft_wrap=True)
            word = ""  # of the first line alone
